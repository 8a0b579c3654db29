import { LEFT_OUT } from './split-words.ts';

/**
 * Whether a request, in small letters, has every word that a phrase needs: a quick look before the phrase is compiled, since of hundreds only a few can fit.
 * Words that are left out of requests are not needed.
 */
export function mayFit(phrase: string, request: string): boolean {
  for (const part of phrase.split(' ')) {
    if (part.includes('{') || part.startsWith('(|') || part.endsWith('|)') || part.includes('||')) continue;
    const choices = part.startsWith('(') && part.endsWith(')') ? part.slice(1, -1).split('|') : [part];
    const isFound = choices.some((choice) => {
      const word = choice.toLowerCase();
      return LEFT_OUT.has(word) || request.includes(word);
    });
    if (!isFound) return false;
  }
  return true;
}
