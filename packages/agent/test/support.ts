import {
  type AgentEvent,
  isToolResult,
  type Message,
  type RunEnd,
  toolCallsOf,
  type Toolset,
  type ToolWithHandler,
} from '@kernel/protocol';
import { expect } from 'vitest';

export const user = (content: string): Message => ({ role: 'user', content });

export async function readAll(events: AsyncIterable<AgentEvent>): Promise<AgentEvent[]> {
  const all: AgentEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

/** Every call id has exactly one result, right after its message, in call order. */
export function expectSound(messages: readonly Message[]): void {
  const ids = messages.flatMap(toolCallsOf).map((call) => call.id);
  expect(new Set(ids).size).toBe(ids.length);
  const answered = messages.flatMap((message) => (message.role === 'tool' ? [message.toolCallId] : []));
  expect(answered).toEqual(ids);
}

export function endOf(events: readonly AgentEvent[]): RunEnd {
  const ends = events.filter((event) => event.type === 'run-end');
  expect(ends).toHaveLength(1);
  expect(events.at(-1)).toBe(ends[0]);
  return ends[0] as RunEnd;
}

/** A toolset of tools with their handlers, beside others, as a registry would run them. */
export function toolsetOf<Context = unknown>(
  tools: readonly ToolWithHandler<Context>[],
  others?: Toolset<Context>,
): Toolset<Context> {
  const list = Object.freeze([...tools.map(({ tool }) => tool), ...(others?.list() ?? [])]);
  return {
    list: () => list,
    prepare(call, context) {
      const found = tools.find(({ tool }) => tool.name === call.name);
      if (found === undefined) return others?.prepare(call, context) ?? { forLLM: 'No such tool.', isError: true };
      return {
        tool: found.tool,
        arguments: call.arguments,
        runsAgent: found.runsAgent,
        async run(running) {
          const toolContext = { ...context, ...running, callId: call.id, toolName: call.name };
          const result: unknown = await found.handler(JSON.parse(call.arguments) as never, toolContext);
          return isToolResult(result) ? result : { forLLM: String(result) };
        },
      };
    },
  };
}
