import type { FlagName } from './flags.ts';

/** What the command line and the help know of a command. What runs it is in `commands/load-command.ts`. */
export interface CommandSpec {
  /** What stands after the name in its usage line. */
  readonly usage: string;
  /** What it does: one line for the help. */
  readonly summary: string;
  /** The flags that have an effect on it, in the order of its help. `--help` is one of every command. */
  readonly flags: readonly FlagName[];
  /** The most words after the name. */
  readonly maxWords: number;
  /** Command lines that show its use, without the name of the program. */
  readonly examples: readonly string[];
}
