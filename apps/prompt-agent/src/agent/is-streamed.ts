import type { Invocation } from '../invocation.ts';

/** Whether the reply is shown as it arrives: with `--stream`, and on a terminal. */
export function isStreamed({ flags, output }: Pick<Invocation, 'flags' | 'output'>): boolean {
  if (flags.stream !== undefined) return flags.stream;
  return flags.json !== true && flags['json-lines'] !== true && output.capabilities.streams;
}
