import type { Host } from './host.ts';
import type { Flags } from './options/flags.ts';
import type { Output } from './output/output.ts';

export interface CommandCall {
  /** The flags; those that the command does not know were refused. */
  readonly flags: Flags;
  readonly words: readonly string[];
  readonly host: Host;
  readonly output: Output;
  /** Aborts on Ctrl-C and when stdout is closed. */
  readonly signal: AbortSignal;
}

/** Runs a command and resolves with the exit code. Rejects with an error that `exitCodeOf` knows. */
export type RunCommand = (call: CommandCall) => Promise<number>;
