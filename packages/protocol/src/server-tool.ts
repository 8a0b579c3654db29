import type { JsonValue } from './json.ts';

/**
 * A call of a tool that the vendor runs itself, such as a web search. Nothing here runs it. As an event it comes once the vendor has made the call; as a
 * part it goes back unchanged to the vendor that made it, and as text to any other.
 */
export interface ServerToolCall {
  readonly type: 'server-tool-call';
  /** The id of the call: the vendor's own, or the position in the reply where it gives none. */
  readonly id: string;
  /** The vendor's name for its tool, such as `web_search`. */
  readonly name: string;
  /** What the vendor ran, as JSON text of an object; `{}` where it does not say. */
  readonly arguments: string;
  /** The part as it was received. Absent where the vendor sends none, only a report of what it ran. */
  readonly providerData?: JsonValue;
}

/** The result of a `ServerToolCall`. */
export interface ServerToolResult {
  readonly type: 'server-tool-result';
  /** The id of the call. */
  readonly callId: string;
  /** The vendor's name for its tool. */
  readonly name: string;
  /** What the tool found or did, as text for a person or another model: cut after 8,000 characters, and empty where the vendor keeps it to itself. */
  readonly text: string;
  /** The pages and documents that were found, in the vendor's order. */
  readonly sources?: readonly Source[];
  /** Whether the call failed. */
  readonly isError?: boolean;
  /** The part as it was received. Absent where the part of the call holds the result too. */
  readonly providerData?: JsonValue;
}

/** A page or a document. */
export interface Source {
  /** The address of a page. Comes from outside: check its scheme before you link to it. */
  readonly url?: string;
  /** The title of the page or document. */
  readonly title?: string;
  /** The vendor's id, or the position among the documents of the request, of a document without an address. */
  readonly document?: string;
}

/** A statement's source: an annotation of a text part. */
export interface Citation extends Source {
  /** The words of the source. */
  readonly quote?: string;
  /** Where in the text of the part the statement begins and ends, in UTF-16 code units; `end` is exclusive. Absent: the whole part. */
  readonly span?: { readonly start: number; readonly end: number };
}
