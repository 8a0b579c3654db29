import { lexer, type MarkedToken, type Token, type Tokens } from 'marked';
import type { Line, Span, Style } from '../output/terminal/spans.ts';
import { wrapSpans } from '../output/terminal/wrap-spans.ts';
import { highlightCode } from './highlight.ts';
import { type MarkdownLook, renderInline } from './render-inline.ts';
import { renderTable } from './render-table.ts';
import type { MarkdownBlock } from './split-blocks.ts';

/** The widest line of prose: longer ones are hard to read. */
const MAX_PROSE = 100;
const MAX_DEPTH = 12;

/** Lays out a block of Markdown as lines for a terminal. What cannot be read as Markdown is shown as it is. */
export function renderBlock({ source, isPlain }: MarkdownBlock, look: MarkdownLook): readonly Line[] {
  if (isPlain) return plainLines(source);
  try {
    return renderTokens(lexer(source), look, 0);
  } catch {
    return plainLines(source);
  }
}

function plainLines(source: string): readonly Line[] {
  return source.split('\n').map((text) => [{ text }]);
}

function renderTokens(tokens: readonly Token[], look: MarkdownLook, depth: number): readonly Line[] {
  const lines: Line[] = [];
  let before: Token | undefined;
  for (const token of tokens) {
    if (token.type === 'space' || token.type === 'def') continue;
    const isTight = token.type === 'list' && (depth > 0 || before?.type === 'text');
    if (before !== undefined && !isTight) lines.push([]);
    lines.push(...renderToken(token, look, depth));
    before = token;
  }
  return lines;
}

function renderToken(given: Token, look: MarkdownLook, depth: number): readonly Line[] {
  const prose = Math.min(look.width, MAX_PROSE);
  if (depth > MAX_DEPTH) return plainLines(given.raw);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- no extension of marked makes other tokens
  const token = given as MarkedToken;
  switch (token.type) {
    case 'heading':
      return renderHeading(token, look, prose);
    case 'code': {
      const { text, lang = '' } = token;
      const [language = ''] = lang.trim().split(/[\s{,:]/);
      return highlightCode(text, language.toLowerCase()).map((line) => [{ text: '  ' }, ...line]);
    }
    case 'blockquote': {
      const inner = renderTokens(token.tokens, { ...look, width: prose - 2 }, depth + 1);
      return inner.map((line) => [{ text: '│ ', styles: ['dim'] }, ...line.map((each) => withStyle(each, 'italic'))]);
    }
    case 'list':
      return renderList(token, look, depth);
    case 'table':
      return renderTable(token, look);
    case 'hr':
      return [[{ text: '─'.repeat(Math.min(look.width, 40)), styles: ['dim'] }]];
    case 'html':
      return token.raw
        .trimEnd()
        .split('\n')
        .map((text) => [{ text, styles: ['dim'] }]);
    default: {
      const children = 'tokens' in token && Array.isArray(token.tokens) ? token.tokens : [token];
      return wrapSpans(renderInline(children, look), prose);
    }
  }
}

function renderHeading({ tokens, depth }: Tokens.Heading, look: MarkdownLook, width: number): readonly Line[] {
  if (!look.hasColors) return wrapSpans([{ text: `${'#'.repeat(depth)} ` }, ...renderInline(tokens, look)], width);
  const styles: readonly Style[] = depth === 1 ? ['bold', 'underline'] : ['bold'];
  return wrapSpans(renderInline(tokens, look, styles), width);
}

function renderList({ items, ordered, start, loose }: Tokens.List, look: MarkdownLook, depth: number): readonly Line[] {
  return items.flatMap((item, index) => {
    const marker = ordered ? `${Number(start) + index}. ` : '• ';
    const box = item.task ? `[${item.checked === true ? 'x' : ' '}] ` : '';
    const indent = ' '.repeat(marker.length);
    const tokens = item.tokens.filter(({ type }) => type !== 'checkbox');
    const inner = renderTokens(tokens, { ...look, width: Math.max(8, look.width - marker.length) }, depth + 1);
    const lines = (inner.length === 0 ? [[]] : inner).map((line, row) =>
      row === 0
        ? [{ text: marker, styles: ['cyan'] } as const, { text: box }, ...line]
        : line.length === 0
          ? line
          : [{ text: indent }, ...line],
    );
    return loose && index > 0 ? [[], ...lines] : lines;
  });
}

function withStyle(each: Span, style: Style): Span {
  return { ...each, styles: [...(each.styles ?? []), style] };
}
