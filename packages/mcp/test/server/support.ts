import { type Tool, type ToolCall, toolResult, type ToolResult, type Toolset } from '@kernel/protocol';
import { toToolset } from '@kernel/schema';
import { Client, type ClientOptions, InMemoryTransport } from '@modelcontextprotocol/client';
import { type EventStore, type JSONRPCMessage, McpServer } from '@modelcontextprotocol/server';
import { onTestFinished } from 'vitest';
import { mountTools } from '../../src/index.ts';

const info = { name: 'test', version: '1.0.0' };

/** Makes a client that is closed when the test ends. */
export function createClient(options: ClientOptions = {}): Client {
  const client = new Client(info, options);
  onTestFinished(() => client.close());
  return client;
}

/** A client of this era; `auto` finds the newest protocol that the server has. */
export const modern: ClientOptions = { versionNegotiation: { mode: 'auto' } };

/** Mounts a toolset on a server of the SDK and connects a client to it in memory. */
export async function connectTo(toolset: Toolset, server = new McpServer(info)): Promise<Client> {
  const undo = mountTools(server, toolset);
  const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
  const client = createClient();
  await server.connect(serverSide);
  await client.connect(clientSide);
  onTestFinished(undo);
  return client;
}

/** Makes a tool without arguments. */
export function plainTool(name: string, rest: Partial<Tool> = {}): Tool {
  return Object.freeze({ name, description: `Does ${name}.`, parameters: { type: 'object', properties: {} }, ...rest });
}

/** Creates a toolset of one tool whose calls give this result. */
export function answering(result: ToolResult | ((call: ToolCall) => ToolResult), rest: Partial<Tool> = {}): Toolset {
  const list = Object.freeze([plainTool('answer', rest)]);
  return toToolset({
    list: () => list,
    call: (call) => Promise.resolve(typeof result === 'function' ? result(call) : result),
  });
}

/** Something that a test waits for. */
export interface Signalled<T> {
  readonly happened: Promise<T>;
  resolve(value: T): void;
}

/** Makes something to wait for; it happens once. */
export function signalled<T = void>(): Signalled<T> {
  const { promise, resolve } = Promise.withResolvers<T>();
  return { happened: promise, resolve };
}

/** Makes a toolset whose one tool never settles and ignores its abort, and says when it began and when its signal aborted. */
export function hanging(): Toolset & { readonly began: Promise<void>; readonly aborted: Promise<unknown> } {
  const began = signalled();
  const aborted = signalled<unknown>();
  const list = Object.freeze([plainTool('hang')]);
  const toolset = toToolset({
    list: () => list,
    call(_call, { signal }) {
      signal.addEventListener('abort', () => aborted.resolve(signal.reason), { once: true });
      began.resolve();
      return new Promise(() => {});
    },
  });
  return { ...toolset, began: began.happened, aborted: aborted.happened };
}

/** Makes a toolset whose list can be changed. */
export function changeable(...names: readonly string[]): Toolset & {
  set(...names: readonly string[]): void;
  readonly listeners: number;
} {
  const listeners = new Set<() => void>();
  let list = Object.freeze(names.map((name) => plainTool(name)));
  return {
    ...toToolset({ list: () => list, call: ({ name }) => Promise.resolve(toolResult(name)) }),
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    set(...next) {
      list = Object.freeze(next.map((name) => plainTool(name)));
      for (const listener of listeners) listener();
    },
    get listeners() {
      return listeners.size;
    },
  };
}

/** Makes an event store that keeps everything in memory. */
export function memoryEventStore(): EventStore {
  const events: { readonly streamId: string; readonly message: JSONRPCMessage }[] = [];
  return {
    storeEvent: (streamId, message) => Promise.resolve(String(events.push({ streamId, message }))),
    getStreamIdForEventId: (id) => Promise.resolve(events[Number(id) - 1]?.streamId),
    async replayEventsAfter(lastEventId, { send }) {
      const streamId = events[Number(lastEventId) - 1]?.streamId ?? '';
      for (const [index, event] of events.entries())
        if (index >= Number(lastEventId) && event.streamId === streamId) await send(String(index + 1), event.message);
      return streamId;
    },
  };
}
