import type { AgentEvent } from '@kernel/protocol';

/** Copies the events of a run, which a worker reads, for a second reader. */
export interface EventTee {
  /** The copied events, until their source ends. */
  readonly events: AsyncIterable<AgentEvent>;
  /** Forwards events to a worker and copies each to `events`. */
  forward(this: void, source: AsyncIterable<AgentEvent>): AsyncGenerator<AgentEvent, void>;
  end(this: void): void;
}

/** Creates a tee. Unread copies are buffered. */
export function createEventTee(): EventTee {
  const held: AgentEvent[] = [];
  let hasEnded = false;
  let wake: (() => void) | undefined;

  async function* read(): AsyncGenerator<AgentEvent, void> {
    for (;;) {
      const event = held.shift();
      if (event !== undefined) yield event;
      else if (hasEnded) return;
      // oxlint-disable-next-line no-await-in-loop -- until there is more
      else await new Promise<void>((resolve) => (wake = resolve));
    }
  }
  const end = (): void => {
    hasEnded = true;
    wake?.();
  };
  return {
    events: read(),
    end,
    async *forward(source) {
      try {
        for await (const event of source) {
          held.push(event);
          wake?.();
          yield event;
        }
      } finally {
        end();
      }
    },
  };
}
