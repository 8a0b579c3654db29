import type { AgentEvent } from '@kernel/protocol';
import type { SessionEntry } from './session.ts';

const positions = new WeakMap<AgentEvent, number>();

export type LogPosition = ReturnType<typeof createLogPosition>;

export function createLogPosition(entries: readonly SessionEntry[]) {
  let position = countMessages(entries);
  let marked: number | undefined;
  return {
    count(written: readonly SessionEntry[]): void {
      position += countMessages(written);
    },
    /** Marks an event, if the position has changed since the last mark. */
    mark(event: AgentEvent): void {
      if (marked === position) return;
      marked = position;
      positions.set(event, position);
    },
  };
}

/** Returns how many messages the log of its session had when an event was emitted; undefined if that is as many as at the event before it. */
export function logPositionOf(event: AgentEvent): number | undefined {
  return positions.get(event);
}

function countMessages(entries: readonly SessionEntry[]): number {
  let count = 0;
  for (const entry of entries) if (entry.type === 'message') count += 1;
  return count;
}
