/** Runs asynchronous work one piece at a time, in call order. */
export type Lock = <T>(work: () => Promise<T>) => Promise<T>;

export function createLock(): Lock {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const result = last.then(work, work);
    last = result.catch(() => undefined);
    return result;
  };
}
