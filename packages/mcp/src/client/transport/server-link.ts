import type * as sdk from '@modelcontextprotocol/client';

export type ClientSdk = typeof sdk;

export const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;

/** The code of the error that this client gives a request whose response will never come. */
export const RESPONSE_LOST = -32_099;

export interface ServerLink {
  readonly transport: sdk.Transport;
  /** How the connection broke, to follow the server's name in a sentence; undefined while it works. */
  failure(): string | undefined;
  /** Whether a program was started and has ended by itself. */
  hasEnded(): boolean;
  stderrTail(): string;
  close(): Promise<void>;
}
