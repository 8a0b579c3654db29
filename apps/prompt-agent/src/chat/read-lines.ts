import { createInterface } from 'node:readline';

/** The longest message, in characters. */
export const MAX_MESSAGE = 1_000_000;

/** Yields the messages of an input that is not a terminal: one a line; a backslash at its end adds the next one. Ends with the signal. */
export async function* readMessages(input: NodeJS.ReadableStream, signal: AbortSignal): AsyncGenerator<string> {
  const lines = createInterface({ input, crlfDelay: Infinity, signal });
  let entered: string[] = [];
  for await (const line of lines) {
    if (line.endsWith('\\')) {
      entered.push(line.slice(0, -1));
      continue;
    }
    yield [...entered, line].join('\n');
    entered = [];
  }
  if (entered.length > 0) yield entered.join('\n');
}
