import { sliceHead } from '@kernel/internal';
import { eastAsianWidth } from 'get-east-asian-width';
import type { Line, Span } from './spans.ts';

const ASCII = /^[\u0020-\u007E]*$/;
const EMOJI = /^\p{Emoji_Presentation}|\uFE0F/u;
const INVISIBLE = /^[\p{Mark}\p{Format}\p{Control}\u200B]+$/u;

let segmenter: Intl.Segmenter | undefined;

/** The graphemes of a text. The segmenter is made by the first text that is not ASCII: it takes longer to make than all else here. */
function graphemes(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter();
  return segmenter.segment(text);
}

export function textWidth(text: string): number {
  if (ASCII.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemes(text)) width += graphemeWidth(segment);
  return width;
}

export function lineWidth(line: Line): number {
  return line.reduce((sum, { text }) => sum + textWidth(text), 0);
}

export function cutLine(line: Line, width: number): Line {
  if (lineWidth(line) <= width) return line;
  const kept: Span[] = [];
  let left = width - 1;
  for (const each of line) {
    const [head] = splitAt(each.text, left);
    if (head !== '') kept.push({ ...each, text: head });
    left -= textWidth(head);
    if (head.length < each.text.length) break;
  }
  return [...kept, { text: '…' }];
}

/** Splits a text where it would exceed a width. The first part is never empty unless the width has no place for a character. */
export function splitAt(text: string, width: number): readonly [string, string] {
  if (ASCII.test(text)) return [sliceHead(text, Math.max(0, width)), text.slice(Math.max(0, width))];
  let used = 0;
  for (const { segment, index } of graphemes(text)) {
    used += graphemeWidth(segment);
    if (used > width) return [text.slice(0, index), text.slice(index)];
  }
  return [text, ''];
}

function graphemeWidth(grapheme: string): number {
  if (INVISIBLE.test(grapheme)) return 0;
  if (EMOJI.test(grapheme)) return 2;
  return eastAsianWidth(grapheme.codePointAt(0) ?? 0);
}
