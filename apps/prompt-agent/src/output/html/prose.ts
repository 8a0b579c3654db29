import { lexer, type MarkedToken, type Token, type Tokens } from 'marked';
import { decodeEntities } from '../../markdown/render-inline.ts';
import { createBlockSplitter } from '../../markdown/split-blocks.ts';
import { html, type Markup, NOTHING } from './markup.ts';

const MAX_DEPTH = 12;

/**
 * The Markdown of an answer as markup of the page's own: paragraphs, headings, lists, tables, code, emphasis and links to the web. HTML and images of a model
 * are shown as their source; what is too long or too deep to be read as Markdown is shown as it is. Linear in the text.
 */
export function prose(text: string): Markup {
  const splitter = createBlockSplitter();
  const blocks = [...splitter.push(text.replaceAll('\r\n', '\n')), ...splitter.end()];
  return html`${blocks.map(({ source, isPlain }) => (isPlain ? plain(source) : block(source)))}`;
}

function block(source: string): Markup {
  try {
    return html`${lexer(source).map((token) => blockToken(token, 0))}`;
  } catch {
    return plain(source);
  }
}

function plain(source: string): Markup {
  return html`<p class="plain">${source}</p>`;
}

function blockToken(given: Token, depth: number): Markup {
  if (depth > MAX_DEPTH) return plain(given.raw);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- no extension of marked makes other tokens
  const token = given as MarkedToken;
  const inside = (tokens: readonly Token[]): readonly Markup[] => tokens.map((each) => blockToken(each, depth + 1));
  switch (token.type) {
    case 'space':
    case 'def':
    case 'checkbox':
      return NOTHING;
    case 'code':
      return html`<pre class="code" tabindex="0">${token.text}</pre>`;
    case 'heading':
      return html`<p class="heading">${inlineProse(token.tokens)}</p>`;
    case 'blockquote':
      return html`<blockquote>${inside(token.tokens)}</blockquote>`;
    case 'hr':
      return html`<hr />`;
    case 'html':
      return html`<pre class="code" tabindex="0">${token.raw}</pre>`;
    case 'table':
      return table(token);
    case 'list': {
      const items = token.items.map(({ tokens, task, checked }) => {
        const box = task ? `[${checked === true ? 'x' : ' '}] ` : '';
        return html`<li>${box}${inside(tokens)}</li>`;
      });
      return token.ordered
        ? html`<ol start="${Number(token.start)}">
            ${items}
          </ol>`
        : html`<ul>
            ${items}
          </ul>`;
    }
    case 'text':
      return html`${inlineProse(token.tokens ?? [token])}`;
    case 'paragraph':
      return html`<p>${inlineProse(token.tokens)}</p>`;
    default:
      return html`<p>${inlineProse([token])}</p>`;
  }
}

function table({ header, rows }: Tokens.Table): Markup {
  const head = header.map(({ tokens }) => html`<th scope="col">${inlineProse(tokens)}</th>`);
  return html`<div class="table" tabindex="0">
    <table>
      <thead>
        <tr>
          ${head}
        </tr>
      </thead>
      <tbody>
        ${rows.map(tableRow)}
      </tbody>
    </table>
  </div>`;
}

function tableRow(cells: readonly Tokens.TableCell[]): Markup {
  return html`<tr>
    ${cells.map(({ tokens }) => html`<td>${inlineProse(tokens)}</td>`)}
  </tr>`;
}

const MAX_INLINE_DEPTH = 20;

/** The inline tokens of Markdown as markup. An image is a link to it; HTML is shown as its source. */
function inlineProse(tokens: readonly Token[], depth = 0): Markup {
  if (depth > MAX_INLINE_DEPTH) return html`${tokens.map(({ raw }) => raw)}`;
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
