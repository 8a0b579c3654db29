import type * as sdk from '@agentclientprotocol/sdk/unstable';

/** The SDK of the protocol, which is loaded with the first call. */
export type Sdk = typeof sdk;

/** A connection to an agent. */
export type Connection = sdk.ClientConnection;
