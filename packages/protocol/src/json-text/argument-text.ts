/**
 * Returns the JSON text of a call's arguments. A model or a gateway may encode it twice: if the text is a JSON string that holds an object (or
 * nothing), that is returned. Any other text is returned unchanged, so that a caller knows by comparison whether to report a repair.
 */
export function unwrapArguments(text: string): string {
  if (!text.trimStart().startsWith('"')) return text;
  try {
    const inner: unknown = JSON.parse(text);
    return typeof inner === 'string' && /^\s*(?:\{|$)/.test(inner) ? inner : text;
  } catch {
    return text;
  }
}
