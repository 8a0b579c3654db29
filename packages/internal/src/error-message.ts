/** Returns the message of an error, or the text of anything else that was thrown. Never throws, whatever the value is. */
export function errorMessage(error: unknown): string {
  try {
    return String(error instanceof Error ? error.message : error);
  } catch {
    return 'it threw a value that cannot be shown'; // a getter or a proxy that throws
  }
}
