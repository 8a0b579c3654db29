/** The port to a web search. */
export interface SearchEngine {
  /** Its name, for messages. */
  readonly name: string;
  /** Searches the web. Rejects with a `KernelError` whose message is for the model. */
  search(query: SearchQuery): Promise<readonly SearchResult[]>;
}

/** What is searched for. */
export interface SearchQuery {
  /** The words. */
  readonly query: string;
  /** How many results at most. */
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
  /** A few words of it; may be empty. */
  readonly snippet: string;
}
