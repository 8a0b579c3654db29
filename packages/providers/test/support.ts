/* oxlint-disable no-await-in-loop -- one after another is what is tested */
import type { KernelError, Message, MessageEnd, Provider, ProviderEvent, ProviderRequest } from '@kernel/protocol';
import {
  type RawReply,
  startWireServer,
  type WireReply,
  type WireServer,
  type WireServerOptions,
} from '@kernel/testing';
import { createProviders, type CustomProviderConfig } from '../src/index.ts';
import { transport } from './transport.ts';

const HELLO: readonly Message[] = Object.freeze([Object.freeze({ role: 'user', content: 'Hello' })]);

export function request(more: Partial<ProviderRequest> = {}): ProviderRequest {
  return { model: 'test-model', messages: HELLO, ...more };
}

export interface Setup {
  readonly server: WireServer;
  readonly provider: Provider;
}

/** Runs `work` with a server that gives these replies and a provider that talks to it; closes both ends. */
export async function withServer(
  replies: readonly (WireReply | RawReply)[] | WireServerOptions,
  work: (setup: Setup) => Promise<void>,
  config: Partial<CustomProviderConfig> = {},
): Promise<void> {
  const server = await startWireServer('length' in replies ? { replies } : replies);
  try {
    await work({
      server,
      provider: createProviders().create({ name: 'openai', baseUrl: server.baseUrl, ...transport, ...config }),
    });
  } finally {
    await server.close();
  }
}

export async function all(events: AsyncIterable<ProviderEvent>): Promise<readonly ProviderEvent[]> {
  const seen: ProviderEvent[] = [];
  for await (const event of events) seen.push(event);
  return seen;
}

export async function endOf(events: AsyncIterable<ProviderEvent>): Promise<MessageEnd> {
  const last = (await all(events)).at(-1);
  if (last?.type !== 'message-end') throw new Error('The last event is no message-end.');
  return last;
}

export async function errorOf(work: AsyncIterable<ProviderEvent> | Promise<unknown>): Promise<KernelError> {
  try {
    await (Symbol.asyncIterator in work ? all(work) : work);
  } catch (error) {
    return error as KernelError;
  }
  throw new Error('Nothing was thrown.');
}

/** SSE bytes of these data lines, each an event. */
export function sse(...data: readonly (string | object)[]): string {
  return data.map((item) => `data: ${typeof item === 'string' ? item : JSON.stringify(item)}\n\n`).join('');
}

/** A chunk of a chat completion. */
export function chunk(delta: object, finish: string | null = null): object {
  return { choices: [{ index: 0, delta, finish_reason: finish }] };
}

/** Waits until `check` holds; throws after `limitMs`. */
export async function until(check: () => boolean, limitMs: number): Promise<number> {
  const start = performance.now();
  while (!check()) {
    if (performance.now() - start > limitMs) throw new Error(`Not within ${limitMs} ms.`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  return performance.now() - start;
}

/** Resolves when a count has stayed the same for so long that what it counts has stopped; at its end, if nothing stops it. */
export async function untilQuiet(count: () => number): Promise<void> {
  for (let before = -1; before !== count();) {
    before = count();
    // oxlint-disable-next-line no-await-in-loop
    await pause(300);
  }
}

/** Waits in short steps: what has come in by the end of each is handled, also when the process was stalled for longer than a whole wait. */
export async function pause(ms: number): Promise<void> {
  for (let waited = 0; waited < ms; waited += 5) {
    // oxlint-disable-next-line no-await-in-loop
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
