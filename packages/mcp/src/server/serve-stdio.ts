import type { Readable, Writable } from 'node:stream';
import type { Toolset } from '@kernel/protocol';
import { mountTools, protocolOf } from './mount-tools.ts';
import { closeOnAbort, onServerClose, serverFactory, type ServerOptions } from './server-options.ts';
import { stdioTransport } from './stdio-transport.ts';

/** How a server over standard input and output is served. */
export interface ServeStdioOptions extends ServerOptions {
  /** Default `process.stdin`. */
  readonly stdin?: Readable | undefined;
  /** Default `process.stdout`, which then belongs to the protocol: a tool that prints there breaks the connection. */
  readonly stdout?: Writable | undefined;
  /** The longest message that is read. Default 10 MiB. */
  readonly maxMessageBytes?: number | undefined;
}

/** A server over standard input and output. */
export interface StdioServer {
  /** Aborts the calls that run, and ends the connection; does not wait for handlers. */
  close(): Promise<void>;
  /**
   * Resolves when the connection has ended: the client closed our input, or `close` was called. Rejects with `CONFIG_INVALID` when nothing
   * can be served.
   */
  readonly closed: Promise<void>;
}

/**
 * Serves a toolset over standard input and output, for one client, in the protocol that it opens with: 2026-07-28 or the older ones. The
 * SDK is loaded on the way. The end of the input aborts the calls that run.
 */
export function serveStdio(toolset: Toolset, options: ServeStdioOptions = {}): StdioServer {
  const { promise: closed, resolve, reject } = Promise.withResolvers<void>();
  let isClosing = false;
  const starting = start(toolset, options, () => {
    unlisten();
    resolve();
  });
  starting.catch((error: unknown) => {
    unlisten();
    reject(error);
  });
  const close = async (): Promise<void> => {
    if (!isClosing) {
      isClosing = true;
      closed.catch(() => {}); // whoever closes hears it from here
      await (await starting).close();
    }
    await closed;
  };
  const unlisten = closeOnAbort(options.signal, close);
  return { close, closed };
}

async function start(toolset: Toolset, options: ServeStdioOptions, onClosed: () => void) {
  const { stdin = process.stdin, stdout = process.stdout, maxMessageBytes = 10 * 1024 * 1024, onError } = options;
  const [sdk, stdio] = await Promise.all([
    import('@modelcontextprotocol/server'),
    import('@modelcontextprotocol/server/stdio'),
  ]);
  const makeServer = serverFactory(sdk, toolset, options);
  const transport = stdioTransport(stdin, stdout, maxMessageBytes, (value) => sdk.parseJSONRPCMessage(value));
  const handle = stdio.serveStdio(
    () => {
      const server = makeServer();
      onServerClose(protocolOf(server), mountTools(server, toolset));
      return server;
    },
    { transport, ...(onError === undefined ? {} : { onerror: onError }) },
  );
  const { onclose } = transport;
  Object.assign(transport, {
    onclose: () => {
      onclose?.();
      onClosed();
    },
  });
  return handle;
}
