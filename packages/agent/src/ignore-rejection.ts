/** Lets what a function of the caller returned settle unseen: where a plain function is asked for, an async one may reject. */
export function ignoreRejection(returned: unknown): void {
  if (returned instanceof Promise) returned.then(ignore, ignore);
}

function ignore(): void {}
