import { type AgentEvent, type Tool, toResultJson } from '@kernel/protocol';
import type { Invocation } from '../../invocation.ts';
import type { View } from '../view.ts';

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
