import type { MarkedToken, Token, Tokens } from 'marked';
import { linkAddress, type Span, type Style } from '../output/terminal/spans.ts';

/** The deepest nesting of emphasis, links and lists that is laid out. */
const MAX_DEPTH = 20;
/** Returns the spans of inline tokens. Without colours the marks of emphasis and code stay. */
export function renderInline(
  tokens: readonly Token[],
  look: MarkdownLook,
  styles: readonly Style[] = [],
  depth = 0,
): readonly Span[] {
  if (depth > MAX_DEPTH) return tokens.map(({ raw }) => ({ text: raw, styles }));
  const inside = (token: Token, ...more: readonly Style[]): readonly Span[] =>
    renderInline(childrenOf(token), look, [...styles, ...more], depth + 1);
  const marked = (mark: string, token: Token, style: Style): readonly Span[] =>
    look.hasColors ? inside(token, style) : [{ text: mark }, ...inside(token), { text: mark }];
  return tokens.flatMap((given): readonly Span[] => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- no extension of marked makes other tokens
    const token = given as MarkedToken;
    switch (token.type) {
      case 'strong':
        return marked('**', token, 'bold');
      case 'em':
        return marked('*', token, 'italic');
      case 'del':
        return marked('~~', token, 'strike');
      case 'codespan': {
        const text = textOf(token);
        return [look.hasColors ? { text, styles: [...styles, 'cyan'] } : { text: `\`${text}\`` }];
      }
      case 'br':
        return [{ text: '\n' }];
      case 'link':
      case 'image':
        return renderLink(token, look, styles, depth);
      case 'html':
        return [{ text: token.raw, styles: [...styles, 'dim'] }];
      default: {
        const children = childrenOf(token);
        // A line break within a paragraph is a blank.
        if (children.length > 0) return inside(token);
        return [{ text: decodeEntities(textOf(token)).replaceAll('\n', ' '), styles }];
      }
    }
  });
}

/** A link as a hyperlink where the terminal has them and its text cannot be taken for another address; otherwise with its address behind it. */
function renderLink(
  token: Tokens.Link | Tokens.Image,
  look: MarkdownLook,
  styles: readonly Style[],
  depth: number,
): readonly Span[] {
  const { href, text } = token;
  const linked: readonly Style[] = [...styles, 'blue', 'underline'];
  const spans =
    token.type === 'link' ? renderInline(token.tokens, look, linked, depth + 1) : [{ text, styles: linked }];
  const shown = spans.map((each) => each.text).join('');
  const link = look.hasLinks ? linkAddress(href) : undefined;
  const isAddress = shown === href || `mailto:${shown}` === href;
  if (isAddress || href === '') return spans.map((each) => ({ ...each, link }));
  if (link !== undefined && !/:\/\/|\bwww\.|\w\.\w{2,}/.test(shown)) return spans.map((each) => ({ ...each, link }));
  return [...spans, { text: ` (${href})`, styles: [...styles, 'dim'] }];
}

function childrenOf(token: Token): readonly Token[] {
  return 'tokens' in token && Array.isArray(token.tokens) ? token.tokens : [];
}

function textOf(token: Token): string {
  return 'text' in token && typeof token.text === 'string' ? token.text : token.raw;
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  '#39': "'",
};

/** Replaces the entities of HTML that models write in Markdown; any other one stays as it is. */
export function decodeEntities(text: string): string {
  return text.replaceAll(/&(amp|lt|gt|quot|apos|nbsp|#39);/g, (whole, name: string) => ENTITIES[name] ?? whole);
}

export interface MarkdownLook {
  readonly width: number;
  readonly hasColors: boolean;
  readonly hasLinks: boolean;
}
