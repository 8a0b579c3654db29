import { posix } from 'node:path';

/** What no program reads as a path out of its folder, whatever its notation: names with `/` between them. */
const PLAIN = /^(?:[\w.+-]+(?:\/[\w.+-]+)*\/?)?$/;

/** What begins outside of the folder, as a whole argument, behind `=`, or behind the `:` of Git's `REVISION:PATH`. */
const OUTSIDE = /(?:^|=)(?:[/~]|\.\.|[a-z]:|file:|:\()|:(?:\/(?!\/)|~|\.\.(?:[\\/]|$))/i;

/** Whether a text is a plain name or path below the folder that a command runs in, or empty: nothing of it can be taken for anything else. */
export function isPlainPath(text: string): boolean {
  return PLAIN.test(text) && !text.split('/').includes('..');
}

/**
 * Whether an argument is, or may be read as, a path that leads out of the folder that a command runs in. Decides by the text alone: links are not
 * followed, and a program may read text as a path that is none.
 */
export function mayLeaveFolder(text: string): boolean {
  // A short option may have its value in the same word, and only its program knows where that begins.
  if (/^-[^-]/.test(text) && /[/\\~]|\.\./.test(text)) return true;
  if (OUTSIDE.test(text) || (process.platform === 'win32' && /(?:^|=)\\/.test(text))) return true;
  if (!text.includes('..')) return false;
  return text.split(/[=:]/).some((piece) => /^\.\.(?:\/|$)/.test(posix.normalize(piece.replaceAll('\\', '/'))));
}
