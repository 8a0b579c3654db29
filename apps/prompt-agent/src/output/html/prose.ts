import { lexer, type MarkedToken, type Token, type Tokens } from 'marked';
import { createBlockSplitter } from '../../markdown/split-blocks.ts';
import { inlineProse } from './inline-prose.ts';
import { html, type Markup, NOTHING } from './markup.ts';

/** The deepest nesting of lists and quotations that is laid out. */
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
