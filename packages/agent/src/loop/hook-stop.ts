// Symbol.for: a hook of another installed copy ends a run too.
const HANDLED = Symbol.for('@kernel/agent/handled');

/** Makes what a hook throws to end the run with reason `handled` and this answer. */
export function handledRun(answer: string): Error {
  return Object.assign(new Error('A hook ended the run.'), { [HANDLED]: answer });
}

/** The answer of a hook that ended the run, if `error` says so. */
export function handledAnswer(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !(HANDLED in error)) return undefined;
  return String(error[HANDLED]);
}
