/** Knows when a person was asked: that time does not count for the timeout of a call. */
export type AskClock = ReturnType<typeof createAskClock>;

export function createAskClock() {
  let open = 0;
  let lastMs = -Infinity;
  return {
    async ask<Answer>(question: () => Answer | Promise<Answer>): Promise<Answer> {
      open += 1;
      try {
        return await question();
      } finally {
        open -= 1;
        lastMs = performance.now();
      }
    },
    /** In ms of `performance.now()`: the present while a question is open, `-Infinity` if there was none. */
    lastAskedMs: (): number => (open > 0 ? performance.now() : lastMs),
  };
}
