import type { IBufferCell } from '@xterm/headless';
import xterm from '@xterm/headless';
import { ROWS } from './record.ts';

/** A piece of a line of one look. */
export interface Piece {
  /** The column that it begins in, from 0. */
  readonly column: number;
  /** How many columns it takes. */
  readonly width: number;
  /** Its text. */
  readonly text: string;
  /** Classes of the picture's style sheet. */
  readonly look: string;
}

const COLORS = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'];

/** Returns what stands on the screen of a terminal once all was written: lines of pieces, without the empty lines at the end. */
export async function readScreen(raw: string, columns: number): Promise<readonly (readonly Piece[])[]> {
  const terminal = new xterm.Terminal({ cols: columns, rows: ROWS, allowProposedApi: true });
  await new Promise<void>((resolve) => {
    terminal.write(raw, resolve);
  });
  const { active } = terminal.buffer;
  const lines = Array.from({ length: active.length }, (_, row) => piecesOf(active.getLine(row), columns));
  terminal.dispose();
  return lines.slice(0, lines.findLastIndex((pieces) => pieces.length > 0) + 1);
}

type BufferLine = ReturnType<InstanceType<typeof xterm.Terminal>['buffer']['active']['getLine']>;

function piecesOf(line: BufferLine, columns: number): readonly Piece[] {
  const pieces: Piece[] = [];
  for (let column = 0; column < columns; column += 1) {
    const cell = line?.getCell(column);
    if (cell === undefined || cell.getWidth() === 0) continue;
    const [text, look, width] = [cell.getChars() || ' ', lookOf(cell), cell.getWidth()];
    const last = pieces.at(-1);
    if (last !== undefined && last.look === look)
      pieces[pieces.length - 1] = { ...last, text: last.text + text, width: last.width + width };
    else pieces.push({ column, width, text, look });
  }
  return pieces.filter(({ text }) => text.trim() !== '');
}

function lookOf(cell: IBufferCell): string {
  return [
    cell.isFgPalette() ? COLORS[cell.getFgColor() % 8] : undefined,
    cell.isBold() ? 'bold' : undefined,
    cell.isDim() ? 'dim' : undefined,
    cell.isItalic() ? 'italic' : undefined,
    cell.isUnderline() ? 'underline' : undefined,
  ]
    .filter((name) => name !== undefined)
    .join(' ');
}
