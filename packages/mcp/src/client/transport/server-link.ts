import type * as sdk from '@modelcontextprotocol/client';

/** The module `@modelcontextprotocol/client`, imported at the first connection. */
export type ClientSdk = typeof sdk;

/** The longest message that is accepted from a server, in bytes. */
export const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;

/** The transport of one connection to a server, and what is known about its end. */
export interface ServerLink {
  /** The SDK's transport. */
  readonly transport: sdk.Transport;
  /** How the connection broke, to follow the server's name in a sentence; undefined while it works. */
  failure(): string | undefined;
  /** The last lines that the server wrote to stderr; empty for an HTTP server. */
  stderrTail(): string;
  /** Ends the connection and what was started for it. Never rejects. */
  close(): Promise<void>;
}
