import { type AgentEvent, type Tool, toResultJson, type Citation, type RunEnd } from '@kernel/protocol';
import { costOf } from '@kernel/providers';
import type { Invocation } from '../invocation.ts';
import { exitCodeOfRun } from '../exit-code.ts';
import { pricesOf } from '../options/number-flags.ts';
import type { View, ToolEnds, ViewedTools } from './view.ts';
import { sourcesOf } from './terminal/notes.ts';

/** Creates the view of `--json`: one object at the end, and the notes of `notes` on stderr. */
export function jsonView(invocation: Invocation, tools: ViewedTools, notes: View): View {
  return {
    event: (event) => notes.event(event),
    end(end, calls) {
      invocation.output.writeJson({ ...summarize(end, calls, invocation), ...pendingField(end, tools) });
      notes.end(end, calls);
    },
  };
}

/** The object of `--json`, version 1. */
function summarize(end: RunEnd, calls: ToolEnds, invocation: Invocation): object {
  const { choice, host } = invocation;
  return {
    version: 1,
    exitCode: exitCodeOfRun(end, host.signal),
    reason: end.reason,
    ...('answer' in end && end.answer !== undefined ? { answer: end.answer } : {}),
    ...('output' in end && end.output !== undefined ? { output: end.output } : {}),
    ...('limit' in end ? { limit: end.limit } : {}),
    ...('error' in end ? { error: end.error } : {}),
    provider: choice.provider.name,
    model: choice.model,
    turns: end.turns,
    usage: end.usage,
    ...costField(end, invocation),
    ...sourcesField(end),
    toolCalls: calls.map(({ call, result, durationMs }) => ({
      name: call.name,
      arguments: call.arguments,
      durationMs: Math.round(durationMs),
      result: toResultJson(result),
    })),
  };
}

/** The calls that wait for an approval, each with the rule that would allow it or the one that asks. */
function pendingField(end: RunEnd, { waitsFor }: ViewedTools): { pending?: readonly object[] } {
  if (end.reason !== 'approval') return {};
  const pending = end.pending.map((call) => ({
    id: call.id,
    name: call.name,
    arguments: call.arguments,
    ...waitsFor(call),
  }));
  return { pending };
}

/** What the run cost, where the price is known. */
function costField({ usage }: RunEnd, { flags, loaded }: Invocation): { cost?: number } {
  const prices = pricesOf(flags, loaded.config.model.prices);
  return prices === undefined ? {} : { cost: costOf(usage, prices) };
}

/** The sources of the answer, if there are some. */
function sourcesField({ messages }: RunEnd): { sources?: readonly Citation[] } {
  const sources = sourcesOf(messages);
  return sources.length === 0 ? {} : { sources };
}

/** The version of the lines, which the first of them says. It changes when a line changes its meaning or loses a field. */
export const LINES_VERSION = 1;

/**
 * Creates the view of `--json-lines`: a line that begins, then each event as a line, and the notes of `notes` on stderr. A tool is written whole once,
 * before the first turn that offers it; `turn-start` has names alone.
 */
export function jsonLinesView({ output, choice }: Pick<Invocation, 'output' | 'choice'>, notes: View): View {
  const write = (line: object): void => output.writeJson(line);
  const written = new Map<string, Tool>();
  write({ type: 'start', version: LINES_VERSION, provider: choice.provider.name, model: choice.model });
  return {
    event(event) {
      if (event.type === 'turn-start') {
        const tools = event.tools.filter((tool) => written.get(tool.name) !== tool);
        for (const tool of tools) written.set(tool.name, tool);
        if (tools.length > 0) write({ type: 'tools', tools });
      }
      write(lineOf(event));
      notes.event(event);
    },
    end: (end, calls) => notes.end(end, calls),
  };
}

function lineOf(event: AgentEvent): object {
  switch (event.type) {
    case 'tool-end':
      return { ...event, result: toResultJson(event.result) };
    case 'turn-start':
      return { ...event, tools: event.tools.map(({ name }) => name) };
    case 'sub-agent-event':
      return { ...event, event: lineOf(event.event) };
    default:
      return event;
  }
}
