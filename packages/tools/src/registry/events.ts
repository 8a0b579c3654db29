import { KernelError } from '@kernel/protocol';
import type { CallEvent, CallEventSink } from '../call/call-events.ts';
import { callSafely } from '../call/call-safely.ts';
import type { NamedTools } from '../tool/tool-types.ts';

/** What happens in a registry: changes of its tools, and calls. Listeners are called after the fact. */
export type RegistryEvent<Tools extends NamedTools = NamedTools> = RegistryChange | CallEvent<Tools>;

/** A change of the registry. It has already been made; a listener can change the registry again. */
export interface RegistryChange {
  /** What has changed. */
  readonly type: 'registered' | 'replaced' | 'unregistered' | 'enabled' | 'disabled' | 'promoted' | 'expired';
  /** The name of the tool that changed. */
  readonly name: string;
  /** The registry's version after the change. */
  readonly version: number;
  /** What is questionable about a registered tool, such as an empty description. */
  readonly warnings?: readonly string[];
}

/** Receives events. An error that it throws, or rejects with, goes to `onListenerError`; it affects neither the registry nor other listeners. */
export type RegistryListener<Tools extends NamedTools = NamedTools> = (event: RegistryEvent<Tools>) => void;

export interface RegistryEvents extends CallEventSink {
  emit(event: RegistryEvent): void;
  onEvent(this: void, listener: RegistryListener): () => void;
  /** Listens to changes only, without the event; returns a function that stops listening. */
  subscribe(this: void, listener: () => void): () => void;
}

interface Subscription {
  readonly listener: RegistryListener;
  readonly wantsCalls: boolean;
}

/** Creates the events of a registry. An event that a listener causes is delivered to all listeners after the current one. */
export function createRegistryEvents(onListenerError: (error: unknown, event: RegistryEvent) => void): RegistryEvents {
  /** Made with the first listener: most registries have none. */
  let subscriptions: Set<Subscription> | undefined;
  let queue: RegistryEvent[] | undefined;
  let callListeners = 0;

  const deliver = (event: RegistryEvent): void => {
    const isCall = event.type.startsWith('call-');
    const current = [...(subscriptions ?? [])]; // a listener added now gets the next event
    for (const subscription of current) {
      if ((isCall && !subscription.wantsCalls) || subscriptions?.has(subscription) !== true) continue;
      callSafely(
        () => subscription.listener(event),
        (error) => callSafely(() => onListenerError(error, event)),
      );
    }
  };
  const add = (subscription: Subscription): (() => void) => {
    subscriptions ??= new Set();
    subscriptions.add(subscription);
    if (subscription.wantsCalls) callListeners += 1;
    return () => {
      if (subscriptions?.delete(subscription) === true && subscription.wantsCalls) callListeners -= 1;
    };
  };

  return {
    hasCallListeners: () => callListeners > 0,
    emit(event) {
      if (subscriptions === undefined || subscriptions.size === 0) return;
      if (queue !== undefined) return void queue.push(event);
      queue = [event];
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) deliver(next);
      queue = undefined;
    },
    onEvent(listener) {
      checkListener('onEvent', listener, []);
      return add({ listener, wantsCalls: true });
    },
    subscribe(listener, ...rest: readonly unknown[]) {
      checkListener('subscribe', listener, rest);
      return add({ listener: () => listener(), wantsCalls: false });
    },
  };
}

/** Throws `CONFIG_INVALID` for a listener that is not a function, and for options, which `subscribe` had in earlier versions. */
function checkListener(method: string, listener: unknown, rest: readonly unknown[]): void {
  if (typeof listener !== 'function')
    throw new KernelError(
      'CONFIG_INVALID',
      `${method}() takes a function, not ${listener === null ? 'null' : typeof listener}.`,
    );
  if (rest.length === 0) return;
  throw new KernelError('CONFIG_INVALID', `${method}() takes a listener and nothing else.`, {
    hint: 'Use onEvent(listener) for the events of changes and calls.',
  });
}
