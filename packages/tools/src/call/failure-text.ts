import { createRedactor, errorMessage, sliceTail, truncate } from '@kernel/internal';

/** What a model reads of a thrown value: its message without stack, file paths of the program and class name, in at most 2,000 characters. */
export function failureText(error: unknown): string {
  const text = errorMessage(error)
    .split('\n')
    .filter((line) => !/^\s*at\s/.test(line))
    .join('\n')
    .trim();
  const safe = text.replaceAll(/\S+/g, withoutPaths);
  return safe === '' ? 'it gave no reason.' : truncate(redactor.text(safe), MAX_LENGTH);
}

const MAX_LENGTH = 2_000;
const FILE_URL = 'file://';

/** A word without the folders of file URLs, of what is below node_modules, and of source files with a line number: never those that a user or model wrote. */
function withoutPaths(word: string): string {
  const url = word.indexOf(FILE_URL);
  const name = word.lastIndexOf('/') + 1;
  if (url === -1 || name <= url + FILE_URL.length) return shortenPaths(word);
  return shortenPaths(word.slice(0, url)) + word.slice(name);
}

function shortenPaths(word: string): string {
  if (!/[\\/]/.test(word)) return word;
  let short = '';
  let end = 0;
  for (const match of word.matchAll(/[^'"():]+/g)) {
    const [path] = match;
    const folders = programFolders(path, word.slice(match.index + path.length, match.index + path.length + 2));
    if (folders === undefined) continue;
    const start = match.index + folders.from;
    // The letter of a Windows drive goes with its folders.
    const hasDrive = folders.from === 0 && /^[A-Za-z]:$/.test(word.slice(Math.max(0, start - 2), start));
    short += word.slice(end, Math.max(end, hasDrive ? start - 2 : start));
    end = match.index + folders.to;
  }
  return short + word.slice(end);
}

/** Where the folders of a program's file begin and end in a path; undefined for other paths. `next` are the two characters after it. */
function programFolders(path: string, next: string): { readonly from: number; readonly to: number } | undefined {
  const from = path.search(/[\\/]/);
  const to = Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1;
  if (from === -1) return undefined;
  const modules = /[\\/]node_modules[\\/]/.exec(path.slice(from + 1));
  const isModule = modules !== null && from + 1 + modules.index + modules[0].length < to;
  const isSource = to > from + 1 && /.\.[cm]?[jt]sx?$/.test(sliceTail(path.slice(to), 64)) && /^:\d/.test(next);
  return isModule || isSource ? { from, to } : undefined;
}

/** Keys of vendors go before the text is cut: what a cut leaves of one would not be found. */
const redactor = createRedactor();
