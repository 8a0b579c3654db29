import type { WorkflowContext } from '@restatedev/restate-sdk';
import { type EventPage, EVENTS_PER_PAGE, promiseNames } from '../run-state.ts';

/** An event as the log keeps it. */
export interface TimedEvent {
  /** When it was emitted, in milliseconds since 1970. In a replay, the same. */
  readonly at: number;
  /** As `toLogged` makes it. */
  readonly event: object;
}

/** The events of a run, written page by page. */
export interface EventLog {
  /** Adds events of a step; of the run itself with an empty id. */
  add(step: string, events: readonly TimedEvent[]): void;
  /** Writes what was added as a page. The last page of an attempt is written even if it is empty. */
  flush(isLast: boolean): void;
}

/** Creates the log of a run. Each page is a durable promise, so that readers can wait for it. */
export function createEventLog(context: WorkflowContext): EventLog {
  let pages = 0;
  let events: EventPage['events'][number][] = [];
  return {
    add(step, added) {
      for (const { at, event } of added) {
        const seq = (pages + 1) * EVENTS_PER_PAGE + events.length;
        // eslint-disable-next-line typescript/no-unsafe-type-assertion -- as `toLogged` makes it
        events.push({ seq, at, step, event: event as EventPage['events'][number]['event'] });
      }
    },
    flush(isLast) {
      if (events.length === 0 && !isLast) return;
      pages += 1;
      // A command of the journal: it counts without being awaited.
      void context.promise<EventPage>(promiseNames.events(pages)).resolve({ events, isLast });
      events = [];
    },
  };
}
