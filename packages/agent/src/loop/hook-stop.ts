// Symbol.for: a hook from another installed copy of this package can end a run too.
const ANSWER = Symbol.for('@kernel/agent/handled');

/** Creates the error by which a hook ends the run with reason `handled` and this answer. */
export function hookStop(answer: string): Error {
  return Object.assign(new Error('A hook ended the run.'), { [ANSWER]: answer });
}

/** Returns the answer of a hook that ended the run, if `error` was made by `hookStop`. Never throws, whatever the error is. */
export function hookStopAnswer(error: unknown): string | undefined {
  try {
    if (typeof error !== 'object' || error === null || !(ANSWER in error)) return undefined;
    return String(error[ANSWER]);
  } catch {
    return undefined; // a proxy that throws, or an answer that is no text
  }
}
