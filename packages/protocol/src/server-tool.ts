import type { JsonValue } from './json.ts';

/**
 * A call of a tool that the vendor runs itself, such as a web search; the agent does not run it. The event comes once the call is complete. The part
 * goes back unchanged to the vendor that made it, and as text to any other.
 */
export interface ServerToolCall {
  readonly type: 'server-tool-call';
  /** The id of the call: the vendor's own, or the position in the reply where it gives none. */
  readonly id: string;
  /** The vendor's name for its tool, such as `web_search`. */
  readonly name: string;
  /** The input of the tool, as the JSON text of an object; `{}` if the vendor does not report it. */
  readonly arguments: string;
  /** The vendor's part as it was received. Absent if the vendor reports the call elsewhere in the reply. */
  readonly providerData?: JsonValue;
}

/** The result of a `ServerToolCall`. */
export interface ServerToolResult {
  readonly type: 'server-tool-result';
  /** The id of the call. */
  readonly callId: string;
  /** The vendor's name for its tool. */
  readonly name: string;
  /** What the tool found or did, as text for a person or another model: cut after 8,000 characters, and empty if the vendor does not disclose it. */
  readonly text: string;
  /** The pages and documents that were found, in the vendor's order: at most 100. */
  readonly sources?: readonly Source[];
  /** Whether the call failed. */
  readonly isError?: boolean;
  /** The vendor's part as it was received. Absent if the part of the call contains the result too. */
  readonly providerData?: JsonValue;
}

/** A page or a document. */
export interface Source {
  /** The URL of a page. It is untrusted: check its scheme before you link to it. */
  readonly url?: string;
  /** The title of the page or document. */
  readonly title?: string;
  /** The vendor's id of a document without a URL, or its index among the documents of the request. */
  readonly document?: string;
}

/** The source of a statement: an annotation of a text part. */
export interface Citation extends Source {
  /** The passage of the source that supports the statement. */
  readonly quote?: string;
  /** The range of the statement in the text of the part, in UTF-16 code units. Absent: the whole part. */
  readonly span?: {
    /** Where the statement starts, from 0. */
    readonly start: number;
    /** Where it ends, exclusive. */
    readonly end: number;
  };
}
