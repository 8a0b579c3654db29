import { type AgentEvent, textOf, toModelText, toolCallsOf } from '@kernel/protocol';
import type { Invocation } from '../../invocation.ts';
import { loadHighlighter } from '../../markdown/highlight.ts';
import { renderBlock } from '../../markdown/render-block.ts';
import { createBlockSplitter, type MarkdownBlock } from '../../markdown/split-blocks.ts';
import { oneLine } from '../escape.ts';
import type { Output } from '../output.ts';
import { seconds } from '../quantities.ts';
import type { View, ViewedTools } from '../view.ts';
import { colouredChange, cutForTerminal } from './changes.ts';
import { programLines } from './program-lines.ts';
import { callLine, createLiveStatus, inlineArguments } from './live-status.ts';
import { type ToolEnd, withoutCode } from './notes.ts';
import { encodeLine, type Line, span } from './spans.ts';
import { wrapSpans } from './wrap-spans.ts';

const REFRESH_MS = 100;
/** How wide reasoning is set at most. */
const MAX_PROSE = 100;

/**
 * Creates the view for a person at a terminal: the answer as laid out Markdown on stdout, block by block as it arrives; on stderr a line for each call that becomes
 * its result, what is waited for, and the reasoning dimmed. `notes` shows the rest.
 */
export function terminalView(
  { choice, output }: Pick<Invocation, 'choice' | 'output'>,
  { changing }: ViewedTools,
  notes: View,
): View {
  const { capabilities } = output;
  const answer = createMarkdownWriter(output, () => separate('answer'));
  const isOffline = choice.provider.name === 'offline';
  const status = createLiveStatus(choice.model, () => performance.now());
  let reasoning = '';
  let hasPieces = false;
  let hasAnswered = false;
  /** What was shown last, so that a blank line stands between the answer and the rest. */
  let last: 'answer' | 'note' | undefined;

  const encode = (lines: readonly Line[]): readonly string[] => lines.map((line) => encodeLine(line, capabilities));
  const refresh = (): void =>
    output.live(encode(status.lines(reasoning === '' ? answer.tail() : reasoning, capabilities.columns())));
  const timer = capabilities.isLive ? setInterval(refresh, REFRESH_MS).unref() : undefined;

  function separate(next: 'answer' | 'note'): void {
    if (capabilities.isLive && last !== undefined && last !== next) output.noteEncoded(['']);
    last = next;
  }

  function noteLines(lines: readonly Line[]): void {
    if (lines.length === 0) return;
    separate('note');
    output.noteEncoded(encode(lines));
  }

  function think(text: string, isEnd: boolean): void {
    const lines = (reasoning + text).split('\n');
    reasoning = isEnd ? '' : (lines.pop() ?? '');
    const width = Math.min(MAX_PROSE, capabilities.columns() - 1);
    const whole = lines.filter((line, index) => line !== '' || index > 0);
    if (whole.some((line) => line !== '')) noteLines(whole.flatMap((line) => wrapSpans([span(line, 'dim')], width)));
  }

  function toolEnd(event: ToolEnd): void {
    noteLines(resultLines(event, capabilities.columns()));
    const { isError, forUser } = event.result;
    if (changing.has(event.call.name) && isError !== true && forUser !== undefined) noteLines(colouredChange(forUser));
  }

  function answerWhole(whole: string): void {
    const { text, note } = isOffline ? cutForTerminal(whole) : { text: whole };
    answer.push(text);
    if (note !== undefined) {
      answer.end();
      noteLines([[span(note, 'dim')]]);
    }
  }

  function show(event: AgentEvent): void {
    if (event.type === 'reasoning-delta') return capabilities.isLive ? think(event.text, false) : undefined;
    if (reasoning !== '') think('', true);
    switch (event.type) {
      case 'text-delta':
        // Offline, the answer is the result of a tool, and arrives whole at once.
        if (isOffline) return undefined;
        hasPieces = true;
        hasAnswered = true;
        return answer.push(event.text);
      case 'message-end':
        if (!hasPieces) answerWhole(textOf(event.message));
        hasAnswered ||= textOf(event.message) !== '';
        hasPieces = false;
        answer.end();
        if (toolCallsOf(event.message).length > 0) hasAnswered = false;
        return notes.event(event);
      case 'reply-withdrawn':
        hasPieces = false;
        answer.discard();
        return notes.event(event);
      case 'steer':
        return noteLines(event.messages.map((message) => [span('» ', 'cyan'), span(textOf(message))]));
      case 'tool-start':
        if (capabilities.isLive) noteLines(programLines(event.call));
        return notes.event(event);
      case 'sub-agent-event':
        if (event.event.type === 'tool-end' && capabilities.isLive)
          noteLines(resultLines(event.event, capabilities.columns() - 2).map((line) => [span('  '), ...line]));
        return notes.event(event);
      case 'tool-end':
        if (capabilities.isLive) toolEnd(event);
        return notes.event(event);
      default:
        return notes.event(event);
    }
  }

  return {
    event(event) {
      status.event(event);
      show(event);
      if (capabilities.isLive) refresh();
    },
    end(end, calls) {
      clearInterval(timer);
      if (reasoning !== '') think('', true);
      answer.end();
      if (!hasAnswered && 'answer' in end && end.answer !== undefined) answerWhole(end.answer);
      answer.end();
      output.finish();
      separate('note');
      notes.end(end, calls);
    },
  };
}

function resultLines({ call, result, durationMs }: ToolEnd, width: number): readonly Line[] {
  const isError = result.isError === true;
  const mark = isError ? span('✗ ', 'red') : span('✓ ', 'green');
  const line = callLine(
    [mark],
    oneLine(call.name, 64),
    inlineArguments(call.name, call.arguments),
    duration(durationMs),
    width,
  );
  if (!isError) return [line];
  const why = `${result.outcome ?? 'failed'}: ${oneLine(withoutCode(toModelText(result)), 200)}`;
  return [line, ...wrapSpans([span(why, 'red')], width - 3).map((each) => [span('  '), ...each])];
}

function duration(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : seconds(ms);
}

/** Creates the writer; `before` is called before each block. The colours of code are loaded while the model is waited for. */
function createMarkdownWriter(output: Output, before: () => void) {
  const splitter = createBlockSplitter();
  const { capabilities } = output;
  let hasWritten = false;
  if (capabilities.hasColors) void loadHighlighter().catch(() => undefined);

  function write(blocks: readonly MarkdownBlock[]): void {
    const look = { ...capabilities, width: capabilities.columns() };
    for (const block of blocks) {
      const lines = renderBlock(block, look).map((line) => encodeLine(line, look));
      before();
      output.writeEncoded(block.hasGap && hasWritten ? ['', ...lines] : lines);
      hasWritten = true;
    }
  }

  return {
    push: (text: string) => write(splitter.push(text)),
    end() {
      write(splitter.end());
      hasWritten = false;
    },
    discard: splitter.discard,
    tail: splitter.tail,
  };
}
