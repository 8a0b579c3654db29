import type { SimpleCommand } from './types.ts';

export interface Reading {
  readonly source: string;
  at: number;
  readonly commands: SimpleCommand[];
  readonly depth: number;
  /** The first thing that was not understood; nothing is read after it. */
  unclear: string | undefined;
  readonly readNested: (reading: Reading, end: string) => void;
}
