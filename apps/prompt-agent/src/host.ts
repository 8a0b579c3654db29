import type { Editor } from './editor.ts';
import type { ServerAnswers } from './questions/server-answers.ts';

/**
 * Asks a question and resolves to the line that is typed after it; undefined if the input ends first. `draft` is what the line holds at first, to be edited. Rejects with
 * the reason of an abort.
 */
export type AskLine = (show: () => void, signal: AbortSignal, draft?: string) => Promise<string | undefined>;

/** What the program gets from outside. Nothing else reads arguments, environment or standard streams. */
export interface Host {
  /** The arguments, without the program's own path. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The current folder, absolute; empty if it has been deleted. */
  readonly cwd: string;
  readonly home: string;
  /** Read only to ask a person; `isTTY` says whether there is one. */
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean; setRawMode?(isRaw: boolean): unknown };
  readonly stdout: NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };
  readonly stderr: NodeJS.WritableStream & {
    readonly isTTY?: boolean;
    readonly rows?: number;
    readonly columns?: number;
  };
  /** Asks on the terminal in place of reading stdin, where something else reads it: the line editor of a chat. */
  readonly question?: AskLine | undefined;
  /** Answers what MCP servers ask, in place of the terminal: the page that is served. */
  readonly answers?: ServerAnswers | undefined;
  /** The editor that the person works in, where it takes the place of the terminal. */
  readonly editor?: Editor | undefined;
  readonly signal: AbortSignal;
}
