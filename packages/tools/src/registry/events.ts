import type { KernelErrorCode, ToolOutcome, ToolRepair, ToolResult } from '@kernel/protocol';

/** What a registry tells: changes of its tools, and calls. A union on `type`; delivered after the fact. */
export type RegistryEvent = RegistryChange | CallEvent;

/** A change of the registry. The listener sees it already made, and may change the registry again. */
export interface RegistryChange {
  readonly type: RegistryChangeKind;
  readonly name: string;
  /** The registry's version after the change. */
  readonly version: number;
  /** What was odd about a registered tool, such as an empty description. */
  readonly warnings?: readonly string[];
}

/** The seven kinds of change. */
export type RegistryChangeKind =
  | 'registered'
  | 'replaced'
  | 'unregistered'
  | 'enabled'
  | 'disabled'
  | 'promoted'
  | 'expired';

/** Something about a call. Without arguments and results unless the registry was made with `detail: true`. */
export type CallEvent = CallStart | CallProgress | CallEnd | CallLate;

/** A call has come in. */
export interface CallStart {
  readonly type: 'call-start';
  readonly name: string;
  readonly callId: string;
  readonly arguments?: unknown;
}

/** A running tool tells how far it is. */
export interface CallProgress {
  readonly type: 'call-progress';
  readonly name: string;
  readonly callId: string;
  readonly update: string;
}

/** A call is over. Exactly one per `call-start`. */
export interface CallEnd {
  readonly type: 'call-end';
  readonly name: string;
  readonly callId: string;
  readonly durationMs: number;
  readonly isError: boolean;
  readonly outcome: ToolOutcome;
  /** Work goes on in the background. */
  readonly async?: boolean;
  readonly code?: KernelErrorCode;
  readonly repairs?: readonly ToolRepair[];
  readonly result?: ToolResult;
}

/** Something came after a call had ended. */
export interface CallLate {
  readonly type: 'call-late';
  readonly name: string;
  readonly callId: string;
  /**
   * `abandoned`: a handler that was left behind has settled. `completed`: an async tool's outcome was delivered. `orphan`: an outcome
   * that nobody waits for. `repeated`: one more outcome of a call that had its one; it is ignored.
   */
  readonly what: 'abandoned' | 'completed' | 'orphan' | 'repeated';
  readonly isError: boolean;
  /** Since the call began; 0 where nobody listened then. */
  readonly durationMs: number;
  readonly result?: ToolResult;
}

/** Hears events. What it throws reaches `onListenerError` and nobody else. */
export type RegistryListener = (event: RegistryEvent) => void;

/** Hands events to listeners. */
export interface EventSource {
  /** Whether some listener hears calls; events that nobody hears are not made. */
  readonly hearsCalls: boolean;
  emit(event: RegistryEvent): void;
  subscribe(listener: RegistryListener, options?: { readonly calls?: boolean | undefined }): () => void;
}

/** Creates an event source. Events that a listener causes are delivered after the one it hears, in order, to everybody. */
export function createEvents(onListenerError: (error: unknown, event: RegistryEvent) => void): EventSource {
  const listeners = new Set<{ readonly listener: RegistryListener; readonly calls: boolean }>();
  const pending: RegistryEvent[] = [];
  let delivering = false;
  let callListeners = 0;

  const deliver = (event: RegistryEvent): void => {
    const isCall = event.type.startsWith('call-');
    const present = [...listeners]; // one that subscribes now hears the next event
    for (const entry of present) {
      if ((isCall && !entry.calls) || !listeners.has(entry)) continue;
      try {
        entry.listener(event);
      } catch (error) {
        report(error, event);
      }
    }
  };
  const report = (error: unknown, event: RegistryEvent): void => {
    try {
      onListenerError(error, event);
    } catch {
      // The reporter itself failed: there is nobody left to tell.
    }
  };

  return {
    get hearsCalls() {
      return callListeners > 0;
    },
    emit(event) {
      if (listeners.size === 0) return;
      pending.push(event);
      if (delivering) return;
      delivering = true;
      for (let next = pending.shift(); next !== undefined; next = pending.shift()) deliver(next);
      delivering = false;
    },
    subscribe(listener, options) {
      const entry = { listener, calls: options?.calls ?? listener.length > 0 };
      listeners.add(entry);
      if (entry.calls) callListeners += 1;
      return () => {
        if (listeners.delete(entry) && entry.calls) callListeners -= 1;
      };
    },
  };
}
