import type { Host } from './host.ts';
import type { Flags } from './options/flags.ts';
import type { Output } from './output/output.ts';

/** One call of a command. */
export interface CommandCall {
  /** The flags; those that the command does not know were refused. */
  readonly flags: Flags;
  /** The words after the name of the command. */
  readonly words: readonly string[];
  readonly host: Host;
  readonly output: Output;
  /** Aborts on Ctrl-C and when stdout is closed. */
  readonly signal: AbortSignal;
}

/** Runs a command and resolves with the exit code. Rejects with an error that `exitCodeOf` knows. */
export type RunCommand = (call: CommandCall) => Promise<number>;
