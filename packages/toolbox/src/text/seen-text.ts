/**
 * A text of a web page as a person sees it: without control characters and those that hide text or turn its direction. Line breaks and tabs stay, and so do
 * the joiners that scripts and emoji need.
 */
export function seenText(text: string): string {
  return text.replaceAll(/\r\n?|[\u2028\u2029]/g, '\n').replaceAll(/(?![\n\t\u200C\u200D])[\p{Cc}\p{Cf}\p{Cs}]/gu, '');
}
