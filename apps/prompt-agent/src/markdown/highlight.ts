import type { Line, Span, Style } from '../output/terminal/spans.ts';
import type { Highlighter } from './highlight-js.d.ts';

/** Code beyond this, or with longer lines, is not coloured: some grammars take the square of a word's length. */
const MAX_CODE = 16_500;
const MAX_LINE = 400;

const STYLES: Readonly<Record<string, Style>> = {
  keyword: 'magenta',
  'selector-tag': 'magenta',
  built_in: 'cyan',
  type: 'cyan',
  literal: 'yellow',
  number: 'yellow',
  symbol: 'yellow',
  string: 'green',
  regexp: 'green',
  comment: 'dim',
  quote: 'dim',
  meta: 'dim',
  title: 'blue',
  section: 'blue',
  name: 'blue',
  attr: 'cyan',
  attribute: 'cyan',
  property: 'cyan',
  variable: 'cyan',
  addition: 'green',
  deletion: 'red',
};

let loading: Promise<Highlighter> | undefined;
let loaded: Highlighter | undefined;

/** Loads the grammars, once. Until then code is shown without colours. */
export async function loadHighlighter(): Promise<void> {
  loading ??= import('highlight.js/lib/common').then((module) => module.default);
  loaded = await loading;
}

export function highlightCode(code: string, language: string): readonly Line[] {
  const lines = code.split('\n');
  const isKnown = loaded !== undefined && language !== '' && loaded.getLanguage(language) !== undefined;
  if (!isKnown || code.length > MAX_CODE || lines.some((line) => line.length > MAX_LINE))
    return lines.map((text) => [{ text }]);
  try {
    return readHtml(loaded?.highlight(code, { language, ignoreIllegals: true }).value ?? '');
  } catch {
    return lines.map((text) => [{ text }]);
  }
}

const PIECE = /<span class="([^"]*)">|<\/span>|&(amp|lt|gt|quot|#x27);|\n|[^<&\n]+/g;
const CHARACTERS: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#x27': "'" };

/** Reads what the highlighter writes: text in which only its own spans and five entities stand. */
function readHtml(html: string): readonly Line[] {
  const lines: Span[][] = [[]];
  const open: (Style | undefined)[] = [];
  for (const [piece, names, entity] of html.matchAll(PIECE)) {
    if (names !== undefined) open.push(styleOf(names));
    else if (piece === '</span>') open.pop();
    else if (piece === '\n') lines.push([]);
    else {
      const style = open.findLast((each) => each !== undefined);
      const text = entity === undefined ? piece : (CHARACTERS[entity] ?? piece);
      lines.at(-1)?.push({ text, styles: style === undefined ? [] : [style] });
    }
  }
  return lines;
}

function styleOf(names: string): Style | undefined {
  const [first = ''] = names.split(' ');
  const name = first.replace('hljs-', '');
  return Object.hasOwn(STYLES, name) ? STYLES[name] : undefined;
}
