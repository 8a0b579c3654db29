import type { SimpleCommand } from './types.ts';

/** A script that is being read. */
export interface Reading {
  /** The script. */
  readonly source: string;
  /** The position of the next character. */
  at: number;
  /** The commands found so far. */
  readonly commands: SimpleCommand[];
  /** How deep substitutions and groups are nested here. */
  readonly depth: number;
  /** The first thing that was not understood; nothing is read after it. */
  unclear: string | undefined;
  /** Reads the commands of a substitution or a group, up to the character that ends it. */
  readonly readNested: (reading: Reading, end: string) => void;
}
