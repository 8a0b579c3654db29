import { type AgentEvent, shouldLogEvent, type Step } from '@kernel/protocol';
import type { NewEvent } from '../runs/events.ts';

export interface StepEvents {
  readonly events: readonly NewEvent[];
  readonly onEvent: (event: AgentEvent) => void;
}

/** Collects the events of a step that are to be logged. Approval requests get a key, because a waiting step emits them again. */
export function collectEvents(step: Step): StepEvents {
  const events: NewEvent[] = [];
  let requests = 0;
  const onEvent = (event: AgentEvent): void => {
    if (!shouldLogEvent(event)) return;
    const key = event.type === 'approval-request' ? `${step.id} ${(requests += 1)}` : '';
    events.push({ key, step: step.id, at: Date.now(), event });
  };
  return { events, onEvent };
}
