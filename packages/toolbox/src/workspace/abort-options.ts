/** How an operation is aborted. */
export interface AbortOptions {
  /** Aborts the operation. Files stay intact. */
  readonly signal?: AbortSignal | undefined;
}
