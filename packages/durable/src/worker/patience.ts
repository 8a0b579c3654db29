/** Waits for something that was asked to end. */
export interface Patience {
  /** Resolves when it has taken too long. */
  readonly over: Promise<undefined>;
  isOver(this: void): boolean;
  begin(this: void): void;
  cancel(this: void): void;
}

export function createPatience(ms: number): Patience {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isOver = false;
  let isCancelled = false;
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const end = (): void => {
    isOver = true;
    resolve(undefined);
  };
  return {
    over: promise,
    isOver: () => isOver,
    begin() {
      if (!isCancelled) timer ??= setTimeout(end, ms);
    },
    cancel() {
      isCancelled = true;
      clearTimeout(timer);
    },
  };
}
