/** The port to a web search. */
export interface SearchEngine {
  /** Its name, for messages. */
  readonly name: string;
  /** Searches the web. Rejects with a `KernelError` whose message is for the model. */
  search(query: SearchQuery): Promise<readonly SearchResult[]>;
}

/** A search. */
export interface SearchQuery {
  /** The words. */
  readonly query: string;
  /** The maximum number of results. */
  readonly count: number;
  /** Aborts the search. */
  readonly signal: AbortSignal;
}

/** One result of a search. */
export interface SearchResult {
  /** The address of the page. */
  readonly url: string;
  /** Its title. */
  readonly title: string;
  /** An excerpt; may be empty. */
  readonly snippet: string;
}
