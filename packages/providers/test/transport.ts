import type { CommonConfig } from '../src/config/common-config.ts';

/** What the providers of the tests are configured with besides their own: nothing, or a `fetch`. */
export const transport: { fetch?: CommonConfig['fetch'] } = {};

/** Whether the tests run over a `fetch`. */
export function isFetch(): boolean {
  return transport.fetch !== undefined;
}
