import type { AgentEvent } from '@kernel/protocol';
import type { SessionEntry } from './session.ts';

export interface LogPosition {
  count(written: readonly SessionEntry[]): void;
  /** Marks an event, if the position has changed since the last mark. */
  mark(event: AgentEvent): void;
}

const positions = new WeakMap<AgentEvent, number>();

export function createLogPosition(entries: readonly SessionEntry[]): LogPosition {
  let position = countMessages(entries);
  let marked: number | undefined;
  return {
    count(written) {
      position += countMessages(written);
    },
    mark(event) {
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
