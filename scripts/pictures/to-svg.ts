import type { Piece } from './read-screen.ts';

const CELL = { width: 8.4, height: 19 };
const PADDING = 16;
const BAR = 30;

const STYLE = `
.window{fill:#fff;stroke:#d0d7de}.dot{fill:#d0d7de}text{font:14px ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace;fill:#24292f;white-space:pre}
.red{fill:#b42318}.green{fill:#116329}.yellow{fill:#7d4e00}.blue{fill:#0550ae}.magenta{fill:#8250df}.cyan{fill:#0b6977}.dim{fill-opacity:.7}
.bold{font-weight:700}.italic{font-style:italic}.underline{text-decoration:underline}
@media (prefers-color-scheme:dark){.window{fill:#0d1117;stroke:#3d444d}.dot{fill:#3d444d}text{fill:#e6edf3}
.red{fill:#ff8f85}.green{fill:#6fdd8b}.yellow{fill:#e3b341}.blue{fill:#79c0ff}.magenta{fill:#d2a8ff}.cyan{fill:#67d4e0}}`;

/** Draws a screen as a window, light or dark as the reader's system is. `title` is what is read in place of the picture. */
export function toSvg(lines: readonly (readonly Piece[])[], columns: number, title: string): string {
  const width = Math.ceil(columns * CELL.width + 2 * PADDING);
  const height = Math.ceil(BAR + lines.length * CELL.height + PADDING);
  const dots = [0, 1, 2].map((at) => `<circle class="dot" cx="${18 + at * 18}" cy="16" r="5"/>`);
  const rows = lines.flatMap((pieces, row) => pieces.map((piece) => drawn(piece, row)));
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title">`,
    `<title id="title">${escaped(title)}</title><style>${STYLE}</style>`,
    `<rect class="window" x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="8"/>${dots.join('')}`,
    ...rows,
    '</svg>',
  ].join('\n')}\n`;
}

/** A piece of text at its cells: its length is given, so that columns stand below each other in any font. */
function drawn({ column, width, text, look }: Piece, row: number): string {
  const start = text.length - text.trimStart().length;
  const shown = text.trim();
  const x = round(PADDING + (column + start) * CELL.width);
  const y = round(BAR + (row + 0.75) * CELL.height);
  const length = round((width - (text.length - shown.length)) * CELL.width);
  const style = look === '' ? '' : ` class="${look}"`;
  return `<text${style} x="${x}" y="${y}" textLength="${length}" lengthAdjust="spacingAndGlyphs">${escaped(shown)}</text>`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
