import { isObject, sliceHead } from '@kernel/internal';
import { KernelError } from '@kernel/protocol';

/** Messages both ways, as the SDK takes them. */
export interface MessageStream<Message> {
  readonly readable: ReadableStream<Message>;
  readonly writable: WritableStream<Message>;
}

const MAX_OPEN = 64;

/**
 * Filters what the SDK would only log to stderr or keep without a limit: answers to requests that were never made or are answered already,
 * notifications other than of a request that is taken back, and more requests at once than an agent has use for. Updates of the session go to `onUpdate`, in their order.
 */
export function guardStream<Message extends object>(
  { readable, writable }: MessageStream<Message>,
  { onUpdate, onMessage }: { readonly onUpdate: (params: unknown) => void; readonly onMessage: () => void },
): MessageStream<Message> {
  const asked = new Set<unknown>();
  const open = new Set<unknown>();
  const incoming = new TransformStream<Message, Message>({
    transform(message, controller) {
      onMessage();
      const { method, id } = fieldsOf(message);
      if (method === undefined) {
        if (asked.delete(id)) controller.enqueue(message);
        return;
      }
      if (!Object.hasOwn(message, 'id')) {
        if (method === 'session/update') onUpdate(Reflect.get(message, 'params'));
        else if (method === '$/cancel_request') controller.enqueue(message);
        return;
      }
      if (open.has(id))
        throw protocolError(`it used the id ${sliceHead(JSON.stringify(id) ?? '', 80)} for two requests at once`);
      if (open.size >= MAX_OPEN) throw protocolError(`it made more than ${MAX_OPEN} requests at once`);
      open.add(id);
      controller.enqueue(message);
    },
  });
  const outgoing = new TransformStream<Message, Message>({
    transform(message, controller) {
      const { method, id } = fieldsOf(message);
      if (method === undefined) open.delete(id);
      else if (id !== undefined) asked.add(id);
      controller.enqueue(message);
    },
  });
  // How either ends is seen by the connection, which reads the one and writes to the other.
  void outgoing.readable.pipeTo(writable).catch(() => undefined);
  return { readable: readable.pipeThrough(incoming), writable: outgoing.writable };
}

/** The error for an agent that violates the protocol. */
export function protocolError(what: string, hint?: string): KernelError {
  return new KernelError('PROVIDER_PROTOCOL', `The agent violates the protocol: ${what}.`, { hint });
}

function fieldsOf(message: object): { readonly method: string | undefined; readonly id: unknown } {
  const fields: Readonly<Record<string, unknown>> = isObject(message) ? message : {};
  const { method, id } = fields;
  return { method: typeof method === 'string' ? method : undefined, id };
}
