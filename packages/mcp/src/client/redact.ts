/** Shorter values are no secrets: `1` or `true` in an environment would black out half of a text. */
const SHORTEST = 6;

/** Creates a function that replaces each of the secrets in a text, the longest first, and makes control characters visible. */
export function createRedactor(secrets: readonly string[]): (text: string) => string {
  const hidden = [...new Set(secrets.filter((secret) => secret.length >= SHORTEST))].toSorted(
    (one, other) => other.length - one.length,
  );
  return (text) => showControls(hidden.reduce((rest, secret) => rest.replaceAll(secret, '[redacted]'), text));
}

/** A server's text must not move a terminal's cursor; line ends stay. */
function showControls(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, (char) =>
    char === '\n' ? char : `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );
}
