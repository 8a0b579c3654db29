import type { Tool } from '@kernel/protocol';

/** A call as a model printed it. `arguments` is JSON text of an object. */
export interface PrintedCall {
  readonly name: string;
  readonly arguments: string;
}

/** Where a piece of markup ends: the length of the whole, `undefined` while more is needed, or -1 when it is none. */
export type EndFinder = (text: string, atEnd: boolean) => number | undefined;

/** Reads one kind of call markup. Which text it takes depends on the text alone, never on how it was cut. */
export interface CallReader {
  /** What the markup begins with. */
  readonly open: string;
  /** Only at the start of a line (or of the reply, or directly behind another call). */
  readonly lineStart?: boolean;
  /** Makes a finder for one piece of markup; it is asked with the text from the opening mark on, longer each time. */
  createFinder(): EndFinder;
  /** Reads whole markup; `undefined` when it holds no calls. */
  parse(text: string, tools: ReadonlyMap<string, Tool>): readonly PrintedCall[] | undefined;
}

/** How a family of models writes tools, calls and results as text. */
export interface TextFormat {
  readonly name: string;
  /** What the system prompt says about the tools. */
  prompt(tools: readonly Tool[]): string;
  /** The calls of one assistant message. */
  calls(calls: readonly PrintedCall[]): string;
  /** One result, for a user message. */
  result(result: { readonly name: string; readonly text: string; readonly isError: boolean }): string;
  readonly readers: readonly CallReader[];
  /** What may stand between and behind calls beside white space, and is no text there. */
  readonly layout?: readonly string[];
}
