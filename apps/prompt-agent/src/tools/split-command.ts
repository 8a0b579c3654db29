import { usageFault } from '../usage-fault.ts';

/**
 * Splits a command into its words as a shell does: at spaces, with '…', "…" and backslash. Nothing is expanded and no shell runs. Throws a
 * usage fault for a quote without end and for a command without a word.
 */
export function splitCommand(text: string): readonly string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote: string | undefined;
  for (let index = 0; index < text.length; index += 1) {
    const char = text[index] ?? '';
    if (quote === "'" ? char === "'" : quote !== undefined && char === quote) quote = undefined;
    else if (char === '\\' && quote !== "'" && (quote === undefined || '"\\'.includes(text[index + 1] ?? 'x'))) {
      index += 1;
      word = (word ?? '') + (text[index] ?? '');
    } else if (quote === undefined && (char === '"' || char === "'")) {
      quote = char;
      word ??= '';
    } else if (quote === undefined && /\s/.test(char)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? '') + char;
  }
  if (quote !== undefined) throw usageFault(`--tools: the command \`${text}\` has a quote (${quote}) without end.`);
  if (word !== undefined) words.push(word);
  if (words.length === 0)
    throw usageFault('--tools is empty: give a module, an mcpServers file, a command or an address.');
  return words;
}
