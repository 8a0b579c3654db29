// What acts on a terminal, breaks a line or turns the direction of text; tab and newline aside.
// oxlint-disable-next-line no-control-regex -- finding them is what this file is for
const ACTING = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;
// What hides or turns text; the joiners of scripts and the selectors of emoji are not among it.
const HIDDEN =
  /(?!\n|\t|\u200C|\u200D|\uFE0E|\uFE0F)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/**
 * Characters that may show as nothing or as another one: controls, format characters, those that Unicode calls ignorable, private, unassigned and half
 * ones, tabs, and blanks other than the usual space. Newlines are not among them.
 */
export const INVISIBLE =
  /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Co}\p{Cn}\p{Cs}\u2800]|(?! )\p{Space_Separator}/gu;

/** A character as JavaScript writes it: `\x1b`, `\u200b` or `\u{e0041}`. */
export function escapeCharacter(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16);
  if (code.length <= 2) return `\\x${code.padStart(2, '0')}`;
  return code.length <= 4 ? `\\u${code.padStart(4, '0')}` : `\\u{${code}}`;
}

/** Text that a person approves, or that stands in a line of its own: every character that may not show is written out. Newlines stay. */
export function visible(text: string): string {
  return text.replaceAll('\r\n', '\n').replaceAll(INVISIBLE, escapeCharacter);
}

/** Text that a person and a model read: what hides or turns it is written out. Newlines, tabs and the joiners of scripts and emoji stay. */
export function visibleText(text: string): string {
  return text.replaceAll('\r\n', '\n').replaceAll(HIDDEN, escapeCharacter);
}

/** The same for text that is to stay on one line, such as a file name: newlines, tabs and joiners are written out too. */
export function visibleLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}]/gu, escapeCharacter);
}

/** Text that cannot act on a terminal: what could is written out, and nothing else. Works piece by piece and keeps no state. */
export function terminalText(text: string): string {
  return text.replaceAll('\r\n', '\n').replaceAll(ACTING, escapeCharacter);
}
