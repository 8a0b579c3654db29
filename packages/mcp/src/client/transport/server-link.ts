import type * as sdk from '@modelcontextprotocol/client';

export type ClientSdk = typeof sdk;

export const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;

export interface ServerLink {
  readonly transport: sdk.Transport;
  /** How the connection broke, to follow the server's name in a sentence; undefined while it works. */
  failure(): string | undefined;
  /** Whether a program was started and has ended by itself. */
  hasEnded(): boolean;
  stderrTail(): string;
  close(): Promise<void>;
}
