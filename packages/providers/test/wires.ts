import type { Provider } from '@kernel/protocol';
import { startWireServer, type WireName, type WireServer, type WireServerOptions } from '@kernel/testing';
import { createProviders, type CustomProviderConfig } from '../src/index.ts';
import { transport } from './transport.ts';

/** The wires, and what a provider of each needs beside its address. */
export const WIRES: readonly (readonly [WireName, Partial<CustomProviderConfig>])[] = [
  ['openai', {}],
  ['azure', { deployment: 'gpt', apiVersion: '2024-10-21', authType: 'api_key', token: 'abcd' }],
  ['openai-responses', {}],
  ['anthropic', { token: 'abcd' }],
  ['gemini', { token: 'abcd' }],
  ['ollama', {}],
  ['bedrock', { region: 'us-east-1', credentials: { accessKeyId: 'AKID', secretAccessKey: 'verysecret' } }],
];

export interface WireSetup {
  readonly server: WireServer;
  readonly provider: Provider;
}

/** Starts a server of one wire and makes a provider that talks to it. */
export async function startWire(
  wire: WireName,
  options: WireServerOptions,
  config: Partial<CustomProviderConfig> = {},
): Promise<WireSetup> {
  const server = await startWireServer({ wire, ...options });
  const own = WIRES.find(([name]) => name === wire)?.[1] ?? {};
  return {
    server,
    provider: createProviders().create({ name: wire, baseUrl: server.baseUrl, ...transport, ...own, ...config }),
  };
}

/** The same for the time of `work`. */
export async function withWire(
  wire: WireName,
  options: WireServerOptions,
  work: (setup: WireSetup) => Promise<void>,
  config: Partial<CustomProviderConfig> = {},
): Promise<void> {
  const setup = await startWire(wire, options, config);
  try {
    await work(setup);
  } finally {
    await setup.server.close();
  }
}

/** The reply of a wire's server to a provider's request, as bytes. */
export async function recordBytes(wire: WireName, replies: WireServerOptions['replies']): Promise<Buffer> {
  const setup = await startWire(wire, {
    replies: typeof replies === 'function' ? replies : [...(replies ?? []), ...(replies ?? [])],
  });
  try {
    const messages = [{ role: 'user', content: 'Go on.' }] as const;
    for await (const _ of setup.provider.stream({ model: 'test-model', messages }));
    const [request] = setup.server.requests;
    const again = await fetch(`${setup.server.url}${request?.path ?? ''}`, {
      method: 'POST',
      body: Buffer.from(request?.bytes ?? []),
    });
    return Buffer.from(await again.arrayBuffer());
  } finally {
    await setup.server.close();
  }
}
