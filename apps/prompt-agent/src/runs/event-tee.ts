import type { AgentEvent } from '@kernel/protocol';

/** Events of a run that a worker reads, for a second reader. */
export interface EventTee {
  /** The events, until what they come from has ended. */
  readonly events: AsyncIterable<AgentEvent>;
  /** Passes events on to a worker, and shows each to the reader of `events`. */
  forward(this: void, source: AsyncIterable<AgentEvent>): AsyncGenerator<AgentEvent, void>;
  /** Ends `events`. */
  end(this: void): void;
}

/** Creates a tee. What the reader has not read yet is held. */
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
