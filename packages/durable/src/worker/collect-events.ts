import { type AgentEvent, isLogged, type Step } from '@kernel/protocol';
import type { NewEvent } from '../runs/events.ts';

/** The events of one step. */
export interface StepEvents {
  /** Those that are logged. */
  readonly events: readonly NewEvent[];
  /** Takes one. */
  readonly onEvent: (event: AgentEvent) => void;
}

/** Collects the events of a step that are logged. Those of a step that waits are emitted again, and have a key for that. */
export function collectEvents(step: Step): StepEvents {
  const events: NewEvent[] = [];
  let questions = 0;
  const onEvent = (event: AgentEvent): void => {
    if (!isLogged(event)) return;
    const key = event.type === 'approval-request' ? `${step.id} ${(questions += 1)}` : '';
    events.push({ key, step: step.id, at: Date.now(), event });
  };
  return { events, onEvent };
}
