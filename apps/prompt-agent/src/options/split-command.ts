import { usageError } from '../exit-code.ts';

/**
 * Splits a command into words as a shell does: at spaces, with '…', "…" and backslash. Nothing is expanded and no shell runs. Throws a
 * usage error for an unclosed quote and for an empty command.
 */
export function splitCommand(text: string, flag = '--tools'): readonly string[] {
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
  if (quote !== undefined) throw usageError(`${flag}: the command \`${text}\` has an unclosed quote (${quote}).`);
  if (word !== undefined) words.push(word);
  if (words.length === 0)
    throw usageError(
      `${flag} is empty${flag === '--tools' ? ': give a module, an mcpServers file, a command or an address' : ''}.`,
    );
  return words;
}
