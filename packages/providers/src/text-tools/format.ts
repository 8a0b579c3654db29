import type { Tool } from '@kernel/protocol';

/** A call as a model wrote it. */
export interface TextCall {
  /** The name of the tool. */
  readonly name: string;
  /** The JSON text of an object. */
  readonly arguments: string;
}

/**
 * Finds where markup ends: returns its length, undefined while more text is needed, or a negative number if it is not markup. That is -1 or, after
 * many characters, the negated number of characters that were read, since a reply may contain only so much text that merely looks like markup.
 */
export type MarkupEndFinder = (text: string, atEnd: boolean) => number | undefined;

/** Reads one kind of call markup. What it accepts depends only on the text, never on how it was split. */
export interface CallParser {
  /** The text that the markup begins with. */
  readonly open: string;
  /** True: only at the start of a line (or of the reply, or directly after another call). */
  readonly lineStart?: boolean;
  /** Creates a finder for one occurrence; it is called with the text from the opening mark on, longer each time, but not for each piece. */
  createFinder(): MarkupEndFinder;
  /** Reads complete markup; undefined if it contains no calls. */
  parse(text: string, tools: ReadonlyMap<string, Tool>): readonly TextCall[] | undefined;
}

/** How a family of models writes tools, calls and results as text. */
export interface TextFormat {
  /** The name of the format. */
  readonly name: string;
  /** What the system prompt says about the tools. */
  prompt(tools: readonly Tool[]): string;
  /** Writes the calls of one assistant message. */
  calls(calls: readonly TextCall[]): string;
  /** Writes one result, for a user message. */
  result(result: {
    /** The name of the tool. */
    readonly name: string;
    /** What the model reads; for a failed call with `Error: ` before it, unless it begins with that word. */
    readonly text: string;
    /** Whether the call failed. */
    readonly isError: boolean;
  }): string;
  /** The kinds of markup that are read as calls. */
  readonly parsers: readonly CallParser[];
  /** Marks that are not text when they occur between or after calls, such as the token that ends a turn; white space is always one of them. */
  readonly layout?: readonly string[];
}
