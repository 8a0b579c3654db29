/** The page of error codes is one table: here each of its rows gets an anchor, and is one result of the search. */
import type { MarkdownRenderer } from 'vitepress';

const CODE = /^`([A-Z]+(?:_[A-Z]+)+)`$/;

/** Gives each table row whose first cell is a code such as `TOOL_TIMEOUT` that code, in lower case, as its id. */
export function addRowAnchors(markdown: MarkdownRenderer): void {
  markdown.renderer.rules['tr_open'] = (tokens, at, options, _env, renderer) => {
    // The row, its first cell, the text of that.
    const code = CODE.exec(tokens[at + 2]?.content ?? '')?.[1];
    if (code !== undefined) tokens[at]?.attrSet('id', code.toLowerCase());
    return renderer.renderToken(tokens, at, options);
  };
}

/** Turns such rows into headings, each followed by the text of the row, for the index of the search. */
export function rowsAsSections(html: string): string {
  return html.replaceAll(
    /<tr id="(\w+)">\s*<td[^>]*><code[^>]*>(\w+)<\/code><\/td>/g,
    (_row, id: string, code: string) => `<h2 id="${id}">${code} <a href="#${id}"></a></h2>`,
  );
}
