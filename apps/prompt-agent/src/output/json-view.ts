import { type AgentEvent, type Tool, toResultJson } from '@kernel/protocol';
import { costOf } from '@kernel/providers';
import { exitCodeOfRun } from '../run-ends.ts';
import type { Invocation } from '../invocation.ts';
import { sourcesOf } from './terminal/notes.ts';
import type { View, ViewedTools } from './view.ts';

/** Creates the view of `--json`: one object of version 1 at the end, and the notes of `notes` on stderr. */
export function jsonView(
  { choice, flags, host, loaded, output }: Invocation,
  { waitsFor }: ViewedTools,
  notes: View,
): View {
  return {
    event: (event) => notes.event(event),
    end(end, calls) {
      const prices = flags.price ?? loaded.config.model.prices;
      const sources = sourcesOf(end.messages);
      output.writeJson({
        version: 1,
        exitCode: exitCodeOfRun(end, host.signal),
        reason: end.reason,
        answer: 'answer' in end ? end.answer : undefined,
        output: 'output' in end ? end.output : undefined,
        limit: 'limit' in end ? end.limit : undefined,
        error: 'error' in end ? end.error : undefined,
        provider: choice.provider.name,
        model: choice.model,
        turns: end.turns,
        usage: end.usage,
        cost: prices && costOf(end.usage, prices),
        sources: sources.length === 0 ? undefined : sources,
        toolCalls: calls.map(({ call, result, durationMs }) => ({
          name: call.name,
          arguments: call.arguments,
          durationMs: Math.round(durationMs),
          result: toResultJson(result),
        })),
        pending:
          end.reason === 'approval'
            ? end.pending.map((call) => ({
                id: call.id,
                name: call.name,
                arguments: call.arguments,
                ...waitsFor(call),
              }))
            : undefined,
      });
      notes.end(end, calls);
    },
  };
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
