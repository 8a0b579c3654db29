/** Runs pieces of asynchronous work one after the other, in the order of the calls. */
export type Lock = <T>(work: () => Promise<T>) => Promise<T>;

/** Creates a lock that nobody holds. */
export function createLock(): Lock {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const result = last.then(work, work);
    last = result.catch(() => undefined);
    return result;
  };
}
