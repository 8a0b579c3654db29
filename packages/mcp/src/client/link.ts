import type * as sdk from '@modelcontextprotocol/client';

/** The SDK, which is imported at the first connection. */
export type Sdk = typeof sdk;

/** One message from a server holds at most this much. */
export const LONGEST_MESSAGE_BYTES = 64 * 1024 * 1024;

/** One way to a server: used for one connection, then closed. */
export interface Link {
  readonly transport: sdk.Transport;
  /** How the connection broke, as the end of a sentence that begins with the server's name; nothing while it holds. */
  broken(): string | undefined;
  /** The last lines that the server wrote to stderr; empty for an address. */
  lastWords(): string;
  /** Ends the connection and what was started for it. Never rejects. */
  close(): Promise<void>;
}
