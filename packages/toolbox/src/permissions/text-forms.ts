import { homedir } from 'node:os';
import { escapeGlob } from '../workspace/glob.ts';

export interface TextTest {
  /** Whether the pattern matches exactly; for `allow`. */
  covers(text: string): boolean;
  /** Whether it matches when case, the form of Unicode, encodings and a part of the text are set aside; for `ask` and `deny`. `folder`: what paths may start from. */
  concerns(text: string, folder?: string): boolean;
}

export function toSlashes(text: string): string {
  return text.replaceAll('\\', '/');
}

/** A text as a file system may take it that does not tell case, forms of Unicode or unseen characters apart. */
export function fold(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '');
}

export function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A pattern of paths or words, with each word that begins with `~`, `$HOME` or `${HOME}` below the home folder. */
export function expandHome(pattern: string): string {
  return pattern.replaceAll(/(?<!\S)(?:~|\$HOME|\$\{HOME\})(?=[/\s]|$)/g, () => escapeGlob(toSlashes(homedir())));
}
