import type * as Sdk from '@modelcontextprotocol/server';

/** The SDK, which is loaded when something is served. */
export type ServerSdk = typeof Sdk;
