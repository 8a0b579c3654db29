import { terminalText } from '@kernel/internal';

/** How a piece of text looks. */
export type Style =
  | 'bold'
  | 'dim'
  | 'italic'
  | 'underline'
  | 'strike'
  | 'red'
  | 'green'
  | 'yellow'
  | 'blue'
  | 'magenta'
  | 'cyan';

/** A piece of text of one look. The text is anything; it is escaped when it is written. */
export interface Span {
  /** The text. */
  readonly text: string;
  /** Its styles. */
  readonly styles?: readonly Style[];
  /** Where it links to: an address of printable ASCII, see `linkAddress`. */
  readonly link?: string | undefined;
}

/** A line on a terminal. */
export type Line = readonly Span[];

const CODES: Readonly<Record<Style, string>> = {
  bold: '1',
  dim: '2',
  italic: '3',
  underline: '4',
  strike: '9',
  red: '31',
  green: '32',
  yellow: '33',
  blue: '34',
  magenta: '35',
  cyan: '36',
};

/** A span of a text with styles. */
export function span(text: string, ...styles: readonly Style[]): Span {
  return { text, styles };
}

/**
 * Returns a line as the terminal gets it: the only place where control sequences are made. Every text is escaped, so that no text of a model or a tool
 * becomes one.
 */
export function encodeLine(line: Line, { hasColors }: { readonly hasColors: boolean }): string {
  const merged: Span[] = [];
  for (const each of line) {
    const last = merged.at(-1);
    if (last !== undefined && last.link === each.link && looksSame(last, each))
      merged[merged.length - 1] = { ...last, text: last.text + each.text };
    else merged.push(each);
  }
  return merged.map((each) => encodeSpan(each, hasColors)).join('');
}

function looksSame({ styles: a = [] }: Span, { styles: b = [] }: Span): boolean {
  return a.length === b.length && a.every((style, index) => style === b[index]);
}

function encodeSpan({ text, styles = [], link }: Span, hasColors: boolean): string {
  const safe = terminalText(text).replaceAll('\n', ' ');
  if (!hasColors || safe === '') return safe;
  const codes = styles.map((style) => CODES[style]).join(';');
  const styled = codes === '' ? safe : `\u001B[${codes}m${safe}\u001B[0m`;
  return link === undefined ? styled : `\u001B]8;;${link}\u001B\\${styled}\u001B]8;;\u001B\\`;
}

/** Returns the address of a link as printable ASCII; `undefined` for one that is not of the web or mail, or too long. */
export function linkAddress(target: string): string | undefined {
  if (!/^(?:https?|mailto):/i.test(target) || !URL.canParse(target)) return undefined;
  const { href } = new URL(target);
  return href.length <= 2000 && /^[\u0021-\u007E]+$/.test(href) ? href : undefined;
}
