import type { MarkedToken, Token, Tokens } from 'marked';
import { decodeEntities } from '../../markdown/decode-entities.ts';
import { html, type Markup } from './markup.ts';

/** The deepest nesting of emphasis and links. */
const MAX_DEPTH = 20;

/** The inline tokens of Markdown as markup. An image is a link to it; HTML is shown as its source. */
export function inlineProse(tokens: readonly Token[], depth = 0): Markup {
  if (depth > MAX_DEPTH) return html`${tokens.map(({ raw }) => raw)}`;
  return html`${tokens.map((token) => inlineToken(token, depth))}`;
}

function inlineToken(given: Token, depth: number): Markup {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- no extension of marked makes other tokens
  const token = given as MarkedToken;
  switch (token.type) {
    case 'strong':
      return html`<strong>${inlineProse(token.tokens, depth + 1)}</strong>`;
    case 'em':
      return html`<em>${inlineProse(token.tokens, depth + 1)}</em>`;
    case 'del':
      return html`<del>${inlineProse(token.tokens, depth + 1)}</del>`;
    case 'codespan':
      return html`<code>${token.text}</code>`;
    case 'br':
      return html`<br />`;
    case 'link':
      return link(token, inlineProse(token.tokens, depth + 1));
    case 'image':
      return link(token, html`${token.text === '' ? 'image' : token.text}`);
    case 'html':
      return html`${token.raw}`;
    default: {
      const children = 'tokens' in token && Array.isArray(token.tokens) ? token.tokens : [];
      if (children.length > 0) return inlineProse(children, depth + 1);
      return html`${decodeEntities('text' in token ? token.text : token.raw)}`;
    }
  }
}

/** A link to the web says where it leads, unless its text does. Any other one is shown as its source. */
function link({ href, raw, text }: Tokens.Link | Tokens.Image, content: Markup): Markup {
  const url = URL.parse(href);
  if (url === null || !['http:', 'https:', 'mailto:'].includes(url.protocol)) return html`${raw}`;
  const where = text === href ? '' : html` <span class="address">(${url.host === '' ? url.pathname : url.host})</span>`;
  return html`<a href="${url.href}" rel="noopener noreferrer nofollow">${content}</a>${where}`;
}
