/**
 * Returns the message of an error, or the text of anything else that was thrown: JSON for a plain object. Of an `AggregateError` without a message of its own,
 * as Node throws for several addresses, the messages of its errors. Never throws, whatever the value is.
 */
export function errorMessage(error: unknown): string {
  try {
    if (error instanceof AggregateError && error.message === '') return error.errors.map(errorMessage).join('; ');
    if (error instanceof Error) {
      const { message }: { readonly message: unknown } = error; // anything, where no compiler looked
      return String(message);
    }
    return typeof error === 'string' ? error : (JSON.stringify(error) ?? String(error));
  } catch {
    return 'it threw a value that cannot be shown'; // a getter or a proxy that throws, a circle
  }
}

/** What `work` returns, or undefined if it throws. */
export function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
