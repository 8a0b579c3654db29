import { createProviders, type CustomProviderConfig } from '@kernel/providers';
import { startWireServer, type WireName, type WireServerOptions } from '@kernel/testing';
import { bindTool, createRegistry } from '@kernel/tools';
import { onTestFinished } from 'vitest';

/** The wires, and what a provider of each needs beside its address. */
export const WIRES: readonly (readonly [WireName, Partial<CustomProviderConfig>])[] = [
  ['openai', {}],
  ['azure', { deployment: 'gpt', apiVersion: '2024-10-21', authType: 'api_key', token: 't' }],
  ['openai-responses', {}],
  ['anthropic', { token: 't' }],
  ['gemini', { token: 't' }],
  ['ollama', {}],
  ['bedrock', { region: 'eu-west-1', token: 't' }],
];

/** Node's own client, and any `fetch`, with what a provider needs for each. */
export const TRANSPORTS: readonly (readonly ['undici' | 'fetch', Partial<CustomProviderConfig>])[] = [
  ['undici', {}],
  ['fetch', { fetch: (input, init) => globalThis.fetch(input, init) }],
];

/** Each wire over each transport: the wire and its transport as one config. */
export const WIRES_OVER_ALL: readonly (readonly [WireName, 'undici' | 'fetch', Partial<CustomProviderConfig>])[] =
  WIRES.flatMap(([wire, config]) =>
    TRANSPORTS.map(([name, transport]) => [wire, name, { ...config, ...transport }] as const),
  );

/** Starts a server of one wire for this test, and makes the options of a run that talks to it with one tool, `weather`. */
export async function setUpWire(
  [wire, config]: (typeof WIRES)[number],
  replies: WireServerOptions['replies'] = [],
  more: Partial<CustomProviderConfig> = {},
) {
  const server = await startWireServer({ wire, replies });
  onTestFinished(() => server.close());
  const ran: string[] = [];
  const weather = bindTool<{ city: string }>(
    {
      name: 'weather',
      description: 'Tells the weather.',
      parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
      effect: 'read',
    },
    ({ city }) => {
      ran.push(city);
      return `sunny in ${city}`;
    },
  );
  const providerWith = (added: Partial<CustomProviderConfig>) =>
    createProviders().create({ name: wire, baseUrl: server.baseUrl, ...config, ...added });
  const options = { provider: providerWith(more), model: 'a-model', tools: createRegistry([weather]) };
  return { server, ran, options, providerWith };
}
