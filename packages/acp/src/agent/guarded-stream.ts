import { isObject, sliceHead } from '@kernel/internal';
import { KernelError } from '@kernel/protocol';
import type { AnyMessage, Stream } from '@agentclientprotocol/sdk/unstable';
import type { Fields } from './own-call.ts';

const MAX_OPEN = 64;

/**
 * Filters what the SDK would only log to stderr or keep without a limit: answers to requests that were never made or are answered already,
 * notifications other than of a request that is taken back, and more requests at once than an agent has use for. Updates of the session go to `onUpdate`, in their order.
 */
export function guardStream(
  { readable, writable }: Stream,
  { onUpdate, onMessage }: { readonly onUpdate: (params: unknown) => void; readonly onMessage: () => void },
): Stream {
  const asked = new Set<unknown>();
  const open = new Set<unknown>();
  const isPassedOn = (message: unknown): boolean => {
    if (!isObject(message)) return false;
    const { method, id, params }: Fields = message;
    if (typeof method !== 'string') return asked.delete(id);
    if (!Object.hasOwn(message, 'id')) {
      if (method === 'session/update') onUpdate(params);
      return method === '$/cancel_request';
    }
    if (open.has(id))
      throw protocolError(`it used the id ${sliceHead(JSON.stringify(id), 80)} for two requests at once`);
    if (open.size >= MAX_OPEN) throw protocolError(`it made more than ${MAX_OPEN} requests at once`);
    open.add(id);
    return true;
  };
  const incoming = new TransformStream<AnyMessage, AnyMessage>({
    transform(message, controller) {
      onMessage();
      if (isPassedOn(message)) controller.enqueue(message);
    },
  });
  const outgoing = new TransformStream<AnyMessage, AnyMessage>({
    transform(message, controller) {
      if (!('method' in message)) open.delete(message.id);
      else if ('id' in message) asked.add(message.id);
      controller.enqueue(message);
    },
  });
  // How either ends is seen by the connection, which reads the one and writes to the other.
  void outgoing.readable.pipeTo(writable).catch(() => undefined);
  return { readable: readable.pipeThrough(incoming), writable: outgoing.writable };
}

/** Creates the error for an agent that violates the protocol. */
export function protocolError(what: string): KernelError {
  return new KernelError('PROVIDER_PROTOCOL', `The agent violates the protocol: ${what}.`);
}
