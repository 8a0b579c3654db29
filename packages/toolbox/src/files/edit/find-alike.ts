import { sliceTail, visibleLine, sliceHead } from '@kernel/internal';
import { describeCharacter } from '../text-file.ts';
import { indexOfText } from './find-sequence.ts';
import { lineAt, type TextEdit, toEnding, type Replaced } from './line-diff.ts';
import { type FoldedText, foldText } from '../../text/fold-text.ts';

/** How many places are looked for: with a second one it is not clear which is meant. */
const MAX_PLACES = 10;
const MAX_NAMED = 5;
const MIN_BEGINNING = 4;
const MAX_QUOTED = 40;

/**
 * Finds text that looks the same as the text to replace. Only the part in which the old and the new text differ is replaced, so that the file keeps its own
 * quotes and dashes elsewhere.
 */
export function locateAlike(folded: FoldedText, edit: TextEdit, ending: '\n' | '\r\n'): readonly Replaced[] {
  const oldText = toEnding(edit.old_text, ending);
  const newText = toEnding(edit.new_text, ending);
  const wanted = foldText(oldText).text;
  if (wanted.trim() === '') return [];
  const { head, tail } = sharedEnds(oldText, newText);
  const headLength = foldText(oldText.slice(0, head)).text.length;
  const tailLength = foldText(oldText.slice(oldText.length - tail)).text.length;
  const places: Replaced[] = [];
  for (let at = indexOfText(folded.text, wanted, 0); at !== -1; at = indexOfText(folded.text, wanted, at + 1)) {
    const whole = folded.original(at, at + wanted.length);
    if (whole === undefined) continue;
    const start = head === 0 ? whole.start : folded.original(at, at + headLength)?.end;
    const end = tail === 0 ? whole.end : folded.original(at + wanted.length - tailLength, at + wanted.length)?.start;
    const isWhole = start === undefined || end === undefined || start > end;
    places.push(
      isWhole ? { ...whole, text: newText } : { start, end, text: newText.slice(head, newText.length - tail) },
    );
    if (places.length === MAX_PLACES) break;
  }
  return places;
}

function sharedEnds(a: string, b: string): { readonly head: number; readonly tail: number } {
  const most = Math.min(a.length, b.length);
  let head = 0;
  while (head < most && a[head] === b[head]) head += 1;
  while (head > 0 && (continues(a, head) || continues(b, head))) head -= 1;
  let tail = 0;
  while (tail < most - head && a.at(-1 - tail) === b.at(-1 - tail)) tail += 1;
  while (tail > 0 && (continues(a, a.length - tail) || continues(b, b.length - tail))) tail -= 1;
  return { head, tail };
}

/** Whether what stands at a place belongs to the character before it. */
function continues(text: string, place: number): boolean {
  return (
    /^[\p{M}\uDC00-\uDFFF]/u.test(text.slice(place, place + 2)) || /^[\uDC00-\uDFFF]/.test(text.slice(place, place + 1))
  );
}

/** Says how far a text that is not in a file is there, and which characters follow in both; else which of its characters are easily mistaken, and which line is like it. */
export function describeMismatch(text: string, folded: FoldedText, oldText: string): string {
  const wanted = foldText(oldText);
  let [most, least] = [wanted.text.length, 0];
  while (least < most) {
    const end = (least + most + 1) >> 1;
    if (indexOfText(folded.text, wanted.text.slice(0, end), 0) === -1) most = end - 1;
    else least = end;
  }
  const place = indexOfText(folded.text, wanted.text.slice(0, least), 0);
  const beginning = wanted.text.slice(0, least);
  const elsewhere = (): string => `.${namedCharacters(oldText)}${nearestLine(text, oldText)}`;
  if (beginning.trim().length < MIN_BEGINNING) return elsewhere();
  const file = folded.original(0, place + least)?.end;
  const own = wanted.original(0, least)?.end;
  if (file === undefined || own === undefined) return elsewhere();
  const quoted = visibleLine(sliceTail(oldText.slice(0, own), MAX_QUOTED).toWellFormed());
  return `: it matches line ${lineAt(text, file)} up to "${quoted}"; there the file continues with ${characterAt(text, file)}, and this text with ${characterAt(oldText, own)}.`;
}

function characterAt(text: string, place: number): string {
  const code = text.codePointAt(place);
  return code === undefined ? 'nothing' : describeCharacter(String.fromCodePoint(code));
}

function namedCharacters(text: string): string {
  const characters = [...new Set(text.match(/[^\p{L}\p{N}\s\x21-\x7E]|[^\S\n\t\r ]/gu))].slice(0, MAX_NAMED);
  return characters.length === 0 ? '' : ` It has ${characters.map(describeCharacter).join(', ')}.`;
}

/** How much of a file is looked at, and of each of its lines, in characters. */
const MAX_LOOKED_AT = 1_000_000;
const MAX_LINE = 200;
/** The least share of characters and pairs of them that a line has in common with what it is like. */
const MIN_SHARE = 0.4;
const MIN_LENGTH = 3;

/** Says which line of a file is most like a text, or like its first line, and which unusual characters only that line has; empty if none is like it. */
export function nearestLine(text: string, wanted: string): string {
  const sought = [...new Set([plain(wanted), plain(wanted.trimStart().split('\n', 1)[0] ?? '')])]
    .filter((each) => each.length >= MIN_LENGTH)
    .map(featuresOf);
  let best = { share: MIN_SHARE, number: 0, line: '' };
  let number = 0;
  for (let start = 0; start < Math.min(text.length, MAX_LOOKED_AT); number += 1) {
    const newline = text.indexOf('\n', start);
    const end = newline === -1 ? text.length : newline;
    const line = sliceHead(text.slice(start, end), MAX_LINE).toWellFormed().trim();
    const features = featuresOf(plain(line));
    const share = Math.max(0, ...sought.map((each) => shareOf(each, features)));
    if (share > best.share) best = { share, number: number + 1, line };
    start = end + 1;
  }
  if (best.number === 0) return '';
  const unusual = [...new Set(best.line.match(/[^\t\x20-\x7E]/gu))].filter((each) => !wanted.includes(each));
  const named = unusual.slice(0, MAX_NAMED).map(describeCharacter).join(', ');
  return ` Line ${best.number} is the nearest, "${visibleLine(best.line)}"${named === '' ? '' : `, which has ${named}`}.`;
}

function plain(text: string): string {
  return sliceHead(text, MAX_LINE).toWellFormed().replaceAll(/\s+/g, ' ').trim();
}

function featuresOf(text: string): ReadonlySet<string> {
  const characters = Array.from(text);
  return new Set(characters.flatMap((each, index) => [each, each + (characters[index + 1] ?? '')]));
}

function shareOf(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let shared = 0;
  for (const each of a) if (b.has(each)) shared += 1;
  return (2 * shared) / (a.size + b.size);
}
