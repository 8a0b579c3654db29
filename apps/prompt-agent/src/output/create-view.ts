import { toolCallsOf } from '@kernel/protocol';
import type { Invocation } from '../invocation.ts';
import { jsonLinesView, jsonView } from './json-view.ts';
import { noteView } from './terminal/note-view.ts';
import { isStreamed, type View, type ViewedTools } from './view.ts';

/** Creates the view that the flags and the terminal ask for. Resolves once what lays out Markdown is loaded, where it is used. */
export async function createView(invocation: Invocation, tools: ViewedTools): Promise<View> {
  const { flags, output } = invocation;
  if (flags['json-lines'] === true) return jsonLinesView(invocation, noteView(invocation, tools));
  if (flags.json === true) return jsonView(invocation, tools, noteView(invocation, tools));
  const isPart = flags.schema !== undefined || flags.extract === true;
  if (isPart) return answerView(invocation, noteView(invocation, tools));
  if (!output.capabilities.isRich) return textView(invocation, noteView(invocation, tools));
  const { terminalView } = await import('./terminal/terminal-view.ts');
  return terminalView(invocation, tools, noteView(invocation, tools, output.capabilities.isLive));
}

/** Creates the view for people and pipes: the answer on stdout, with `--stream` or on a terminal as it arrives, and the notes of `notes` on stderr. */
function textView(invocation: Pick<Invocation, 'flags' | 'output'>, notes: View): View {
  const { output } = invocation;
  const streams = isStreamed(invocation);
  return {
    event(event) {
      if (streams && event.type === 'text-delta') output.write(event.text);
      // What comes next, a call or another reply, begins on a line of its own.
      const isOver =
        event.type === 'message-end' ? toolCallsOf(event.message).length > 0 : event.type === 'reply-withdrawn';
      if (streams && isOver) output.finish();
      notes.event(event);
    },
    end(end, calls) {
      if (!streams && 'answer' in end) output.write(end.answer ?? '');
      notes.end(end, calls);
    },
  };
}

/** Creates the view of `--schema` and `--extract`: a part of the answer on stdout once it is whole, and the notes of `notes` on stderr. */
function answerView({ flags, output }: Pick<Invocation, 'flags' | 'output'>, notes: View): View {
  return {
    event: (event) => notes.event(event),
    end(end, calls) {
      const answer = 'answer' in end ? (end.answer ?? '') : '';
      const value: unknown = 'output' in end ? end.output : undefined;
      if (flags.schema !== undefined && 'output' in end) output.writeJson(value, 2);
      else if (flags.extract === true && answer !== '') {
        const code = firstCodeBlock(answer);
        if (code === undefined) output.note('note: the answer has no code block, so all of it is printed');
        output.write(code ?? answer);
      }
      notes.end(end, calls);
    },
  };
}

/** The least length of a fence, and the most space before it, by CommonMark 4.5. */
const MIN_FENCE = 3;
const MAX_INDENT = 3;

interface Fence {
  readonly mark: string;
  readonly length: number;
  readonly indent: number;
  readonly rest: string;
}

/** Returns the code of the first fenced block of a Markdown text, by the rules of CommonMark 4.5, without the fences; `undefined` if there is none. */
export function firstCodeBlock(text: string): string | undefined {
  const lines = text.split('\n');
  const start = lines.findIndex((line) => isOpening(readFence(line)));
  const opening = readFence(lines[start] ?? '');
  if (opening === undefined) return undefined;
  const end = lines.findIndex((line, at) => at > start && closes(readFence(line), opening));
  const code = lines.slice(start + 1, end === -1 ? undefined : end);
  return code.length === 0 ? '' : `${code.map((line) => withoutIndent(line, opening.indent)).join('\n')}\n`;
}

function readFence(line: string): Fence | undefined {
  const indent = count(line, 0, ' ');
  const mark = line[indent] ?? '';
  const length = count(line, indent, mark);
  if (indent > MAX_INDENT || (mark !== '`' && mark !== '~') || length < MIN_FENCE) return undefined;
  return { mark, length, indent, rest: line.slice(indent + length) };
}

function isOpening(fence: Fence | undefined): boolean {
  return fence !== undefined && !(fence.mark === '`' && fence.rest.includes('`'));
}

function closes(fence: Fence | undefined, { mark, length }: Fence): boolean {
  return fence !== undefined && fence.mark === mark && fence.length >= length && fence.rest.trim() === '';
}

function withoutIndent(line: string, length: number): string {
  return line.slice(Math.min(length, count(line, 0, ' ')));
}

function count(line: string, from: number, mark: string): number {
  let at = from;
  while (at < line.length && line[at] === mark) at += 1;
  return at - from;
}
