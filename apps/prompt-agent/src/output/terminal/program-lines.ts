import { isObject, parseJson, visible } from '@kernel/internal';
import type { ToolCall } from '@kernel/protocol';
import { highlightCode } from '../../markdown/highlight.ts';
import { type Line, span } from './spans.ts';

/** The program of a call of `run_code`; undefined if it has none. */
export function programOf({ name, arguments: json }: Pick<ToolCall, 'name' | 'arguments'>): string | undefined {
  const input = name === 'run_code' ? parseJson(json) : undefined;
  const code = isObject(input) ? input['code'] : undefined;
  return typeof code === 'string' && code.trim() !== '' ? code : undefined;
}

/** The most lines of a program that are shown before it runs. */
const MAX_LINES = 60;

/** The lines of a program for a person, highlighted where the highlighter has been loaded. */
export function programLines(call: ToolCall): readonly Line[] {
  const code = programOf(call);
  if (code === undefined) return [];
  const lines = highlightCode(visible(withoutIndent(code)), 'typescript');
  const shown = lines.slice(0, MAX_LINES).map((line): Line => [span('│ ', 'dim'), ...line]);
  return lines.length > MAX_LINES ? [...shown, [span(`│ … ${lines.length - MAX_LINES} more lines`, 'dim')]] : shown;
}

/** A program without the blank lines around it and without the indentation that all of its lines have. */
function withoutIndent(code: string): string {
  const lines = code
    .replace(/^(?:[^\S\n]*\n)+/, '')
    .trimEnd()
    .split('\n');
  const indents = lines.filter((line) => line.trim() !== '').map((line) => line.length - line.trimStart().length);
  const indent = Math.min(...indents);
  return lines.map((line) => line.slice(indent)).join('\n');
}
