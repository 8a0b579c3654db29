import { createMemorySession, type Session } from '@kernel/agent';
import { createRedactor } from '@kernel/internal';
import type { AgentEvent, PendingCall } from '@kernel/protocol';

interface Chat {
  readonly session: Session;
  isBusy: boolean;
  /** The calls that wait for a decision, as they would run: what clients read of them is redacted. */
  pending: readonly PendingCall[];
}

const MAX_CHATS = 100;

/** Creates the conversations of a server, in memory. Returns the one with an id, a new one at its first use; beyond 100 the one that was not used for longest is dropped. */
export function createChats(): (id: string) => Chat {
  const chats = new Map<string, Chat>();
  return (id) => {
    const chat = chats.get(id) ?? { session: createMemorySession(), isBusy: false, pending: [] };
    chats.delete(id);
    chats.set(id, chat);
    const oldest = [...chats].find(([, { isBusy }]) => !isBusy)?.[0];
    if (chats.size > MAX_CHATS && oldest !== undefined) chats.delete(oldest);
    return chat;
  };
}

export async function* noteWaiting(events: AsyncIterable<AgentEvent>, chat: Chat): AsyncGenerator<AgentEvent> {
  for await (const event of events) {
    if (event.type === 'run-end') chat.pending = event.reason === 'approval' ? event.pending : [];
    yield event;
  }
}

/** Returns a response that calls `release` once its body has been read, has failed or was given up. */
export function whenEnded(response: Response, release: () => void): Response {
  const reader = response.body?.getReader();
  if (reader === undefined) {
    release();
    return response;
  }
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const part: { done: boolean; value?: Uint8Array | undefined } = await reader.read();
        if (part.value !== undefined) return controller.enqueue(part.value);
        release();
        controller.close();
      } catch (error) {
        release();
        controller.error(error);
      }
    },
    cancel: (reason) => reader.cancel(reason).finally(release),
  });
  return new Response(body, { status: response.status, headers: response.headers });
}

/** Redacts a secret, and keys of well-known vendors, in each event or document of a response as it is sent. Deltas that split one between them are redacted before. */
export function redactResponse(response: Response, secret: string | undefined): Response {
  const redactor = createRedactor([secret]);
  const body = response.body
    ?.pipeThrough(new TextDecoderStream())
    .pipeThrough(
      new TransformStream<string, string>({
        transform: (text, controller) => controller.enqueue(redactor.text(text)),
      }),
    )
    .pipeThrough(new TextEncoderStream());
  return new Response(body ?? null, { status: response.status, headers: response.headers });
}
