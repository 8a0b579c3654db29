/** How many microtasks a promise that is as good as settled takes to call its callbacks. */
const MICROTASKS = 4;

/** Runs `work` a few microtasks later: work that is done by then never pays for a timer or an abort listener. */
export function afterMicrotasks(work: () => void, count = MICROTASKS): void {
  if (count === 0) work();
  else queueMicrotask(() => afterMicrotasks(work, count - 1));
}
