import type { AgentEvent } from '@kernel/protocol';

/** Creates a tee. Unread copies are buffered. */
export function createEventTee() {
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
    /** Forwards events to a worker and copies each to `events`. */
    async *forward(this: void, source: AsyncIterable<AgentEvent>): AsyncGenerator<AgentEvent, void> {
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
