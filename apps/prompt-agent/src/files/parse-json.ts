import { usageError } from '../usage-error.ts';

/**
 * Parses the JSON of a file, with or without a byte order mark. Throws a usage error that begins with `what`, which names the file, and says where the text
 * breaks; nothing of the text is shown, since it may hold a key.
 */
export function parseJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw usageError(`${what} is not valid JSON${whereOf(text, error)}.`);
  }
}

/** The engine names a place for most mistakes, not for all. */
function whereOf(text: string, error: unknown): string {
  if (text.trim() === '') return ': it is empty';
  const message = error instanceof Error ? error.message : '';
  if (message.includes('end of JSON')) return ': it ends too early';
  const place = /line \d+ column \d+/.exec(message)?.[0];
  return place === undefined ? '' : `: it breaks at ${place}`;
}
