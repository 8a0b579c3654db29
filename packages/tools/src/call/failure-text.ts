import { createRedactor } from '@kernel/internal';

/** What a model reads of a thrown value: its message without stack, file paths of the program and class name, in at most 2,000 characters. */
export function failureText(error: unknown): string {
  const text = readMessage(error)
    .split('\n')
    .filter((line) => !/^\s*at\s/.test(line))
    .join('\n')
    .trim();
  const safe = text.replaceAll(PROGRAM_PATH, (_path: string, file: string) => file);
  return safe === '' ? 'it gave no reason.' : redactor.text(safe).slice(0, MAX_LENGTH);
}

const MAX_LENGTH = 2_000;

/** Keys of vendors go before the text is cut: what a cut leaves of one would not be found. */
const redactor = createRedactor();

/** A file URL, anything below node_modules, or a source file with a line number: never a path that a user or model wrote. */
const PROGRAM_PATH =
  /(?:file:\/\/\S*\/|(?:[A-Za-z]:)?[\\/][^\s'"():]*[\\/]node_modules[\\/][^\s'"():]*[\\/]|(?:[A-Za-z]:)?[\\/][^\s'"():]*[\\/](?=[^\s'"():/\\]+\.[cm]?[jt]sx?:\d+))([^\s'"()/\\]*)/g;

function readMessage(error: unknown): string {
  try {
    return String(messageOf(error));
  } catch {
    return 'it threw a value that cannot be shown.'; // a getter or a proxy that throws
  }
}

function messageOf(error: unknown): unknown {
  if (error instanceof Error) return error.message;
  if (typeof error === 'string') return error;
  return JSON.stringify(error) ?? String(error);
}
