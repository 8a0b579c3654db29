import type { TokenPrices } from '@kernel/agent/config';
import { type AgentEvent, type RunEnd, toModelText, type Usage } from '@kernel/protocol';
import { costOf } from '@kernel/providers';
import type { Invocation } from '../../invocation.ts';
import { whyNoAnswer } from '../../run-ends.ts';
import { oneLine } from '../escape.ts';
import type { Output } from '../output.ts';
import { seconds } from '../quantities.ts';
import type { ToolEnds, View, ViewedTools } from '../view.ts';
import { changeLines } from './changes.ts';
import { serverToolNote, sourceNotes, sourcesOf, type ToolEnd, toolNote, usageNote } from './notes.ts';
import { programLines } from './program-lines.ts';
import { encodeLine, span } from './spans.ts';

/**
 * Creates the view that writes a line on stderr for each call, warning and error, and after the run the sources, the usage and why there is no answer. With
 * `isTerminal` something else shows the calls, and the usage has the time.
 */
export function noteView(
  { flags, loaded, output }: Pick<Invocation, 'flags' | 'loaded' | 'output'>,
  tools: ViewedTools,
  isTerminal = false,
): View {
  const startedMs = performance.now();
  return {
    event(event) {
      if (event.type === 'message-end')
        for (const { tool, message } of event.warnings ?? [])
          if (tool === undefined || !tools.own.has(tool))
            output.note(`warning: ${tool === undefined ? '' : `${oneLine(tool, 64)}: `}${oneLine(message)}`);
      if (event.type === 'tool-start' && !isTerminal)
        for (const line of programLines(event.call)) output.note(line.map(({ text }) => text).join(''));
      if (event.type === 'sub-agent-event' && event.event.type === 'tool-end' && !isTerminal)
        output.note(`  ${toolNote(event.event)}`);
      if (event.type === 'tool-end' && !isTerminal) for (const line of callNotes(event, tools)) output.note(line);
      for (const line of notesOf(event, flags.verbose === true)) output.note(line);
    },
    end(end, calls) {
      output.finish();
      for (const note of sourceNotes(sourcesOf(end.messages))) output.note(note);
      if (flags.log === true) for (const line of logOf(end, calls)) output.note(line);
      const usage = usageNote(end.usage, end.turns);
      const totals = [usage, costNote(end.usage, flags.price ?? loaded.config.model.prices)].filter(
        (each) => each !== undefined,
      );
      if (isTerminal) showTotals(output, [...totals, seconds(performance.now() - startedMs)]);
      else if (totals.length > 0) output.note(totals.join(', '));
      const why = whyNoAnswer(end);
      // Whoever closed stdout has read all that was wanted.
      if (why !== undefined && !(end.reason === 'aborted' && output.closed.aborted)) output.alert(why);
    },
  };
}

function showTotals(output: Output, totals: readonly string[]): void {
  const line = [span(totals.join(', '), 'dim')];
  output.noteEncoded([encodeLine(line, output.capabilities)]);
}

function callNotes(event: ToolEnd, { changing }: ViewedTools): readonly string[] {
  const { isError, forUser } = event.result;
  const isShown = changing.has(event.call.name) && isError !== true && forUser !== undefined;
  return [toolNote(event), ...(isShown ? changeLines(forUser) : [])];
}

function notesOf(event: AgentEvent, isVerbose: boolean): readonly string[] {
  switch (event.type) {
    case 'message-end':
      return (event.droppedCalls ?? []).map(
        ({ name, reason }) => `not run: ${oneLine(name, 64)} (the reply ended with ${reason})`,
      );
    case 'reply-withdrawn':
      return [`the reply broke off (${event.code}) and is asked for again`];
    case 'turn-start':
      return isVerbose ? [`turn: ${event.turn}, ${event.tools.length} tools`] : [];
    case 'tool-end':
      return isVerbose ? [`result: ${oneLine(toModelText(event.result), 400)}`] : [];
    case 'server-tool-result':
      return [serverToolNote(event)];
    default:
      return [];
  }
}

function logOf({ turns }: RunEnd, calls: ToolEnds): readonly string[] {
  const lines = calls.map(
    ({ call, result }, index) =>
      `[${index + 1}] ${oneLine(call.name, 64)}(${oneLine(call.arguments)}): ${oneLine(toModelText(result), 200)}`,
  );
  return [...lines, `Iterations: ${turns}`];
}

/** Returns a cost as text, such as `cost: 0.0123`; `undefined` without prices. */
export function costNote(usage: Usage, prices: TokenPrices | undefined): string | undefined {
  if (prices === undefined) return undefined;
  const cost = costOf(usage, prices);
  return `cost: ${cost >= 1 ? cost.toFixed(2) : cost.toFixed(4)}`;
}
