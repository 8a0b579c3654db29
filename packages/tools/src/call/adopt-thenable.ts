/** How many thenables may resolve to one another before they count as a circle. */
const MAX_CHAIN = 100;

/** Whether a value is a promise as an async function returns it, whose `then` can be trusted. */
export function isNativePromise(value: unknown): value is Promise<unknown> {
  return (
    value instanceof Promise && Object.getPrototypeOf(value) === Promise.prototype && !Object.hasOwn(value, 'then')
  );
}

export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}

/**
 * A promise that settles like a thenable, or resolves to any other value. Unlike `await`, it also observes what `then` itself returns, so that
 * an async `then` that throws rejects it; it rejects for thenables that resolve to themselves, and a promise whose `then` was replaced settles it.
 */
export function adoptThenable(thenable: unknown): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const adopt = (value: unknown, depth: number): void => {
      try {
        const onValue = (next: unknown): void => adopt(next, depth + 1);
        if (value instanceof Promise && thenNatively(value, onValue, reject)) return;
        if (!isThenable(value)) return resolve(value);
        if (depth > MAX_CHAIN) throw new TypeError('it returned a thenable that resolves to itself');
        const returned: unknown = value.then(onValue, reject);
        if (returned instanceof Promise) thenNatively(returned, ignore, reject);
      } catch (error) {
        reject(error);
      }
    };
    adopt(thenable, 0);
  });
}

/** Calls the `then` that all promises have; returns false for a proxy of a promise, which has none. */
function thenNatively(
  promise: Promise<unknown>,
  onValue: (value: unknown) => void,
  onError: (error: unknown) => void,
): boolean {
  try {
    // oxlint-disable-next-line typescript/unbound-method -- applied to the promise, whose own `then` may be another
    void Reflect.apply(Promise.prototype.then, promise, [onValue, onError]);
    return true;
  } catch {
    return false;
  }
}

function ignore(): void {}
