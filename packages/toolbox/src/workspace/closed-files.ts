import { AsyncLocalStorage } from 'node:async_hooks';

const closed = new AsyncLocalStorage<(path: string) => boolean>();

/** Makes a call whose searches leave out the files that `isClosed` names, by their paths in the workspace. */
export function withClosedFiles<T>(isClosed: (path: string) => boolean, call: () => T): T {
  return closed.run(isClosed, call);
}

export function isClosedFile(path: string): boolean {
  return closed.getStore()?.(path) === true;
}
