import { KernelError } from '@kernel/protocol';
import { CancelledError, isRestatePromise, RestatePromise, type WorkflowContext } from '@restatedev/restate-sdk';
import { promiseNames, type Signal } from '../run-state.ts';

/** The journal of one invocation. Only one await at a time is allowed; signals are received during it. */
export type Journal = ReturnType<typeof openJournal>;

type Arrival<T> =
  | { readonly kind: 'target'; readonly value: T }
  | { readonly kind: 'signal'; readonly signal: Signal }
  | { readonly kind: 'deadline' };

/** Opens the journal of an invocation. Its first command waits for the first signal. */
export function openJournal(context: WorkflowContext, onSignal: (signal: Signal) => void) {
  let signals = 1;
  let signal = nextSignal();
  let deadline: RestatePromise<Arrival<never>> | undefined;
  let isCancelled = false;

  /** Creates the promise of the next signal once, since it takes part in every race until it arrives. */
  function nextSignal(): RestatePromise<Arrival<never>> {
    const promise = context.promise<Signal>(promiseNames.signal(signals)).get();
    return arrival(promise, (arrived) => ({ kind: 'signal', signal: arrived }));
  }

  function receive(arrived: Signal): void {
    if (arrived.kind === 'cancel') isCancelled = true;
    onSignal(arrived);
    signals += 1;
    context.set('signals', signals);
    signal = nextSignal();
  }

  function cancel(): void {
    if (isCancelled) return;
    isCancelled = true;
    onSignal({ kind: 'cancel' });
  }

  async function next<T>(promise: RestatePromise<T>): Promise<Arrival<T>> {
    const watched: RestatePromise<Arrival<T>>[] = [arrival(promise, (value) => ({ kind: 'target', value })), signal];
    if (deadline !== undefined) watched.push(deadline);
    return RestatePromise.race(watched);
  }

  async function wait<T>(given: Promise<T>, isOver: () => boolean): Promise<T | undefined> {
    // The SDK types its promises as plain ones.
    if (!isRestatePromise(given))
      throw new KernelError('STORE_FAILED', 'A promise was awaited that does not come from the journal.');
    const promise = given;
    for (;;) {
      if (isOver()) return undefined;
      try {
        const arrived = await next(promise);
        if (arrived.kind === 'target') return arrived.value;
        if (arrived.kind === 'signal') receive(arrived.signal);
        else {
          deadline = undefined;
          cancel();
        }
      } catch (error) {
        // The invocation itself was cancelled.
        if (!(error instanceof CancelledError)) throw error;
        cancel();
      }
    }
  }

  return {
    /** Runs `work` once under a name; a replay returns the recorded value. `work` must not throw. */
    once: <T>(name: string, work: () => T | Promise<T>): RestatePromise<T> => context.run(name, async () => work()),
    /** Waits for a promise of the journal, receiving the signals that arrive before it settles. */
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- undefined only if `isOver`, which is never
    until: async <T>(promise: Promise<T>): Promise<T> => (await wait(promise, () => false)) as T,
    /** Like `until`, but resolves to undefined as soon as the run is cancelled. */
    untilCancelled: <T>(promise: Promise<T>): Promise<T | undefined> => wait(promise, () => isCancelled),
    cancelAt(time: number, now: number): void {
      deadline = arrival(context.sleep(Math.max(0, time - now), 'deadline'), () => ({ kind: 'deadline' }));
    },
    isCancelled: (): boolean => isCancelled,
  };
}

function arrival<T, U>(promise: RestatePromise<T>, map: (value: T) => Arrival<U>): RestatePromise<Arrival<U>> {
  return promise.map((value, failure) => {
    if (failure !== undefined) throw failure;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- there is either a failure or a value
    return map(value as T);
  });
}
