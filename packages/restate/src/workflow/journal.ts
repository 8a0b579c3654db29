import { KernelError } from '@kernel/protocol';
import { CancelledError, isRestatePromise, RestatePromise, type WorkflowContext } from '@restatedev/restate-sdk';
import { promiseNames, type Signal } from '../run-state.ts';

/** The journal of one invocation, as the run uses it: one await at a time, during which signals are received. */
export interface Journal {
  /** Runs something once under a name; a replay returns what it returned. It must not throw. */
  once<T>(name: string, work: () => T | Promise<T>): RestatePromise<T>;
  /** Waits for something of the journal, and receives the signals that come before it. */
  until<T>(promise: Promise<T>): Promise<T>;
  /** As `until`, or undefined as soon as the run is cancelled. */
  untilCancelled<T>(promise: Promise<T>): Promise<T | undefined>;
  /** Lets the run be cancelled at this time, in milliseconds since 1970. */
  cancelAt(time: number, now: number): void;
  /** Whether the run has been cancelled. */
  isCancelled(): boolean;
}

/** How the journal tells about signals. */
export interface SignalListener {
  /** Gets each signal, in the order of the journal. */
  readonly onSignal: (signal: Signal) => void;
}

type Arrival<T> =
  | { readonly kind: 'target'; readonly value: T }
  | { readonly kind: 'signal'; readonly signal: Signal }
  | { readonly kind: 'deadline' };

/** Opens the journal of an invocation. Its first command is to wait for the first signal. */
export function openJournal(context: WorkflowContext, { onSignal }: SignalListener): Journal {
  let signals = 1;
  let signal = nextSignal();
  let deadline: RestatePromise<Arrival<never>> | undefined;
  let isCancelled = false;

  /** Mapped once: it is part of every race until it arrives. */
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

  /** Waits for something, or until `isOver`. */
  async function wait<T>(given: Promise<T>, isOver: () => boolean): Promise<T | undefined> {
    // The types of the SDK hide that all of its promises are of one kind.
    if (!isRestatePromise(given)) throw new KernelError('STORE_FAILED', 'Something else than the journal was awaited.');
    const promise = given;
    for (;;) {
      if (isOver()) return undefined;
      try {
        // oxlint-disable-next-line no-await-in-loop -- one signal after the other
        const arrived = await next(promise);
        if (arrived.kind === 'target') return arrived.value;
        if (arrived.kind === 'signal') receive(arrived.signal);
        else {
          deadline = undefined;
          cancel();
        }
      } catch (error) {
        // Somebody cancelled the invocation itself.
        if (!(error instanceof CancelledError)) throw error;
        cancel();
      }
    }
  }

  return {
    once: (name, work) => context.run(name, async () => work()),
    // eslint-disable-next-line typescript/no-unsafe-type-assertion -- it is never over before
    until: async <T>(promise: Promise<T>) => (await wait(promise, () => false)) as T,
    untilCancelled: (promise) => wait(promise, () => isCancelled),
    cancelAt(time, now) {
      deadline = arrival(context.sleep(Math.max(0, time - now), 'deadline'), () => ({ kind: 'deadline' }));
    },
    isCancelled: () => isCancelled,
  };
}

/** Maps the value of a promise; its error stays. */
function arrival<T, U>(promise: RestatePromise<T>, map: (value: T) => Arrival<U>): RestatePromise<Arrival<U>> {
  return promise.map((value, failure) => {
    if (failure !== undefined) throw failure;
    // eslint-disable-next-line typescript/no-unsafe-type-assertion -- there is either a failure or a value
    return map(value as T);
  });
}
