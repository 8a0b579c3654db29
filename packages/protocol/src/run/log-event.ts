import type { AgentEvent } from '../event.ts';

/** Events that carry a part of a reply. The whole reply follows them, so the log does without. */
const PARTIAL: ReadonlySet<AgentEvent['type']> = new Set([
  'text-delta',
  'reasoning-delta',
  'tool-call-delta',
  'output-delta',
  'audio-delta',
  'sub-agent-event', // already logged by the agent's own steps
]);

/** Whether an event belongs in the log of a run. Partial replies do not, nor do events of sub-agents, which their own steps log. */
export function shouldLogEvent(event: AgentEvent): boolean {
  return !PARTIAL.has(event.type);
}

/** Returns an event as the log stores it: with the names of a turn's tools only. */
export function toLogEvent(event: AgentEvent): object {
  if (event.type !== 'turn-start') return event;
  return { ...event, tools: event.tools.map(({ name }) => ({ name })) };
}
