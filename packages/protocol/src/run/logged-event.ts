import type { AgentEvent } from '../event.ts';

/** Pieces of a reply: the reply itself follows them. */
const PIECES: ReadonlySet<AgentEvent['type']> = new Set([
  'text-delta',
  'reasoning-delta',
  'tool-call-delta',
  'output-delta',
  'audio-delta',
  'sub-agent-event', // logged by the step of the agent that it comes from
]);

/** Whether an event belongs in the log of a run. Pieces of replies do not, and neither do events of agents, whose own steps have them. */
export function isLogged(event: AgentEvent): boolean {
  return !PIECES.has(event.type);
}

/** Returns what a log keeps of an event: the tools of a turn by name alone. */
export function toLogged(event: AgentEvent): object {
  if (event.type !== 'turn-start') return event;
  return { ...event, tools: event.tools.map(({ name }) => ({ name })) };
}
