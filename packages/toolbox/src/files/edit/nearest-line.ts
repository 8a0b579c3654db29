import { sliceHead, visibleLine } from '@kernel/internal';
import { describeCharacter } from '../text-file.ts';

/** How much of a file is looked at, and of each of its lines, in characters. */
const MAX_LOOKED_AT = 1_000_000;
const MAX_LINE = 200;
const MAX_NAMED = 5;
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
