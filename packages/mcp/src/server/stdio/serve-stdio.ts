import type { Readable, Writable } from 'node:stream';
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { checkToolset, checkKeys, optionKeys, type Toolset } from '@kernel/protocol';
import { mountOn, protocolOf } from '../mount-tools.ts';
import { closeOnAbort, onServerClose, prepareServer, SERVER_KEYS, type ServerOptions } from '../server-options.ts';
import { stdioTransport } from './stdio-transport.ts';

/** How to serve over standard input and output. */
export interface ServeStdioOptions extends ServerOptions {
  /** Default `process.stdin`. */
  readonly stdin?: Readable | undefined;
  /** Default `process.stdout`, which is then reserved for the protocol: a tool that prints to it breaks the connection. */
  readonly stdout?: Writable | undefined;
  /** The longest message that is accepted, in bytes. Default 10 MiB. */
  readonly maxMessageBytes?: number | undefined;
}

const KEYS = optionKeys<ServeStdioOptions>({ ...SERVER_KEYS, stdin: true, stdout: true, maxMessageBytes: true });

/** A server over standard input and output. */
export interface StdioServer {
  /** Aborts the running calls and ends the connection; does not wait for handlers. */
  close(): Promise<void>;
  /**
   * Resolves when the connection has ended, because the client closed the input or `close` was called. Rejects with `CONFIG_INVALID` if the
   * toolset cannot be served.
   */
  readonly closed: Promise<void>;
}

/**
 * Serves a toolset to one client over standard input and output, in the protocol version that it starts with: 2026-07-28 or an older one. The SDK is
 * loaded by this call. The end of the input aborts the running calls. Throws `CONFIG_INVALID` for anything that is not a toolset and for unknown
 * options.
 *
 * @example
 * ```ts
 * import { serveStdio } from '@kernel/mcp';
 * import { createRegistry } from '@kernel/tools';
 *
 * serveStdio(createRegistry()); // what a client starts as a command
 * ```
 */
export function serveStdio(toolset: Toolset, options: ServeStdioOptions = {}): StdioServer {
  checkToolset('serveStdio', toolset);
  checkKeys('serveStdio', options, KEYS);
  const { promise: closed, resolve, reject } = Promise.withResolvers<void>();
  let isClosing = false;
  const starting = start(toolset, options, () => {
    removeAbortListener();
    resolve();
  });
  starting.catch((error: unknown) => {
    removeAbortListener();
    reject(error);
  });
  const close = async (): Promise<void> => {
    if (!isClosing) {
      isClosing = true;
      closed.catch(() => {}); // whoever calls `close` gets the error from it
      await (await starting).close();
    }
    await closed;
  };
  const removeAbortListener = closeOnAbort(options.signal, close);
  return { close, closed };
}

async function start(toolset: Toolset, options: ServeStdioOptions, onClosed: () => void) {
  const { stdin = process.stdin, stdout = process.stdout, maxMessageBytes = 10 * 1024 * 1024, onError } = options;
  const [sdk, stdio] = await Promise.all([
    import('@modelcontextprotocol/server'),
    import('@modelcontextprotocol/server/stdio'),
  ]);
  const { createServer, stateKey, tasks } = await prepareServer(sdk, 'serveStdio', toolset, options);
  const transport = stdioTransport(stdin, stdout, maxMessageBytes, (value) => sdk.parseJSONRPCMessage(value));
  const handle = stdio.serveStdio(
    () => {
      const server = createServer();
      onServerClose(protocolOf(server), mountOn(server, toolset, stateKey, tasks));
      return server;
    },
    { transport, ...(onError === undefined ? {} : { onerror: onError }) },
  );
  const { onclose, onmessage } = transport;
  // The SDK would answer a subscription and knows nothing of tasks.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a message that the types of the SDK lack
  const listener = tasks?.stdioListener((message) => transport.send(message as JSONRPCMessage));
  Object.assign(transport, {
    onmessage(message: JSONRPCMessage) {
      if (listener?.take(message) !== true) onmessage?.(message);
    },
    onclose: () => {
      tasks?.close();
      onclose?.();
      onClosed();
    },
  });
  return handle;
}
