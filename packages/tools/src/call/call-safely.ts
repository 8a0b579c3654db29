import { adoptThenable } from './adopt-thenable.ts';

/**
 * Calls a function of the caller, such as a listener, which must not affect the call. What it throws, or rejects with if it is async, goes to
 * `onError`, which must not throw.
 */
export function callSafely(callback: () => unknown, onError: (error: unknown) => void = ignore): void {
  try {
    const returned = callback();
    if (typeof returned === 'object' && returned !== null) adoptThenable(returned).then(ignore, onError);
  } catch (error) {
    onError(error);
  }
}

function ignore(): void {}
