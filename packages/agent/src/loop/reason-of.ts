/** The message of a thrown value, as text; never throws, whatever the value is. */
export function reasonOf(error: unknown): string {
  try {
    return String(error instanceof Error ? error.message : error);
  } catch {
    return 'it threw a value that cannot be shown'; // a getter or a proxy that throws
  }
}
