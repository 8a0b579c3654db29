import type { WorkflowContext } from '@restatedev/restate-sdk';
import { type EventPage, EVENTS_PER_PAGE, promiseNames } from '../run-state.ts';

export interface TimedEvent {
  /** When it was emitted, in milliseconds since 1970. A replay must give the same time. */
  readonly at: number;
  readonly event: object;
}

export type EventLog = ReturnType<typeof createEventLog>;

/** Creates the log of a run. Each page is a durable promise, so that readers can wait for it. */
export function createEventLog(context: WorkflowContext) {
  let pages = 0;
  let events: EventPage['events'][number][] = [];
  return {
    /** Adds events of a step, or of the run itself if `step` is empty. */
    add(step: string, added: readonly TimedEvent[]): void {
      for (const { at, event } of added) {
        const seq = (pages + 1) * EVENTS_PER_PAGE + events.length;
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- returned by `toLogEvent`
        events.push({ seq, at, step, event: event as EventPage['events'][number]['event'] });
      }
    },
    /** Writes the added events as a page. The last page of a round is written even if it is empty. */
    flush(isLast: boolean): void {
      if (events.length === 0 && !isLast) return;
      pages += 1;
      // A command of the journal, which takes effect without being awaited.
      void context.promise<EventPage>(promiseNames.events(pages)).resolve({ events, isLast });
      events = [];
    },
  };
}
