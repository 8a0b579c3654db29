import { KernelError, type Provider } from '@kernel/protocol';
import * as providers from '@kernel/providers';
import { mockTool, mockToolset, startWireServer, verifies, type WireServer } from '@kernel/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  clientFromConfig,
  clientsFromConfig,
  fromConfig,
  type ProviderFunctions,
  providerFromConfig,
  toConfig,
  toProviderSettings,
} from '@kernel/agent/config';
import { collect } from '@kernel/agent';

let server: WireServer;
beforeAll(async () => {
  server = await startWireServer({ replies: () => ({ text: 'hello' }) });
});
afterAll(() => server.close());

const tool = { name: 'add', description: 'Adds.', parameters: { type: 'object' } } as const;
const token = async (): Promise<string> => 'fetched';

function problemOf(json: unknown): string {
  try {
    fromConfig(json, { file: 'x.json' });
  } catch (error) {
    if (KernelError.is(error, 'CONFIG_INVALID')) return error.message;
    throw error;
  }
  throw new Error('Nothing was thrown.');
}

/** A config as the kernel program has it: an agent, and around it what a run needs. */
const kernelFile = (): object => ({
  agent: {
    name: 'kernel-agent',
    client: { timeout: '60s', retry: { max_retries: 0, jitter: true }, connection_pool_size: 10 },
    provider: { name: 'openai', base_url: server.baseUrl, options: { token: 'key' } },
    model: {
      name: 'qwen3:8b',
      capabilities: {
        chat: { max_tokens: 4096, temperature: 0.7, top_p: 0.95 },
        tools: { max_tokens: 64, tool_choice: 'required' },
      },
    },
  },
  agents: { writer: { name: 'writer', provider: { name: 'openai', base_url: server.baseUrl }, model: { name: 'm2' } } },
  session: {},
  memory: { path: 'notes' },
  max_iterations: 10,
  system_prompt: 'Of the run.',
});

test("the kernel program's file reads as its agent, with the prompt and the limits of the run", () => {
  verifies('config.kernelFile');
  const { config, warnings } = fromConfig(kernelFile());
  expect(warnings).toEqual([]);
  expect(config).toMatchObject({
    name: 'kernel-agent',
    systemPrompt: 'Of the run.',
    maxIterations: 10,
    memory: { path: 'notes' },
    model: { name: 'qwen3:8b' },
    agents: { writer: { name: 'writer', model: { name: 'm2' } } },
  });
});

test('what belongs into the agent block has no effect beside it, and is an error', () => {
  verifies('config.noEffect');
  expect(problemOf({ agent: {}, model: { name: 'm' } })).toBe(
    'x.json: model has no effect beside "agent"; it belongs into it: agent.model.',
  );
});

test.each([
  [{ agent: { system_prompt: 'A' }, system_prompt: 'B' }, 'agent.system_prompt has no effect'],
  [{ agent: { max_iterations: 3 }, max_iterations: 4 }, 'agent.max_iterations has no effect'],
  [{ agent: { memory: {} }, memory: {} }, 'agent.memory has no effect'],
  [{ agents: { a: { agents: {} } } }, 'agents.a.agents has no effect in one of several agents'],
  [{ agents: { a: { memory: { path: 'x' } } } }, 'agents.a.memory has no effect'],
  [{ model: { capabilities: { chat: { tool_choice: 'auto' } } } }, 'model.capabilities.chat.tool_choice has no effect'],
])('what is read and has no effect where it stands is an error: %o', (json, problem) => {
  verifies('config.noEffect');
  expect(problemOf(json)).toContain(problem);
});

test('a config becomes a client that chats and runs tools with its options', async () => {
  verifies('config.client');
  const { config } = fromConfig(kernelFile());
  const client = clientFromConfig(config, providers, { tools: mockToolset([mockTool('add', '2')]) });
  expect((await client.chat('Hi')).text).toBe('hello');
  await client.tools('1 + 1', [tool]);
  expect(await collect(client.run('1 + 1'))).toMatchObject({ reason: 'done', answer: 'hello' });
  const bodies = server.requests.slice(-3).map(({ body, headers }) => ({ body, headers }));
  expect(bodies).toMatchObject([
    { body: { model: 'qwen3:8b', max_tokens: 4096, temperature: 0.7, top_p: 0.95, messages: [{}, {}] } },
    { body: { max_tokens: 64, tool_choice: 'required' }, headers: { authorization: 'Bearer key' } },
    { body: { max_tokens: 64, tool_choice: 'required' } },
  ]);
  expect(bodies[0]?.body).toMatchObject({ messages: [{ content: 'Of the run.' }, { content: 'Hi' }] });
});

test('each of the agents of a config is a client under its name, and so is the one around them', async () => {
  verifies('config.client');
  const clients = clientsFromConfig(fromConfig(kernelFile()).config, providers);
  expect(clients.names).toEqual(['kernel-agent', 'writer']);
  expect((await clients.get('writer').chat('Hi')).text).toBe('hello');
  expect(server.requests.at(-1)?.body).toMatchObject({ model: 'm2' });
  expect(() => clients.get('reader')).toThrow('No model client is named "reader"');
});

test('a config without a model, and an option that its provider does not have, are refused by name', () => {
  verifies('config.client');
  const create = (json: unknown): unknown => clientFromConfig(fromConfig(json).config, providers);
  expect(() => create({ provider: { name: 'ollama' } })).toThrow('names no model');
  const options = { keep_alive: '5m' };
  expect(() => create({ provider: { name: 'openai', options }, model: { name: 'm' } })).toThrow(
    'openai: there is no option "keepAlive"',
  );
});

test('a managed identity of Azure becomes a token source, with its client id and resource', async () => {
  verifies('config.azure');
  const asked: unknown[] = [];
  const functions: ProviderFunctions = {
    ...providers,
    azureToken: (identity) => {
      asked.push(identity);
      return token;
    },
  };
  const azure = await startWireServer({ wire: 'azure', replies: [{ text: 'from Azure' }] });
  const options = {
    deployment: 'gpt',
    api_version: '2024-10-21',
    auth_type: 'managed_identity',
    client_id: 'c',
    resource: 'scope',
    token: '',
  };
  const { config } = fromConfig({ provider: { name: 'azure', base_url: azure.baseUrl, options } });
  expect((await clientFromConfig(config, functions).chat('Hi')).text).toBe('from Azure');
  expect(asked).toEqual([{ identity: 'managed_identity', clientId: 'c', scope: 'scope' }]);
  expect(azure.requests[0]?.headers['authorization']).toBe('Bearer fetched');
  expect(azure.requests[0]?.path).toContain('/deployments/gpt/');
  await azure.close();
});

test('Bedrock takes a region, keys of its own, or a profile', () => {
  verifies('config.bedrock');
  const seen: object[] = [];
  const functions: ProviderFunctions = {
    createProvider: (config): Provider => {
      seen.push(config);
      return providers.createProvider(config as never);
    },
    withRetry: (provider) => provider,
    azureToken: () => token,
  };
  const keys = { access_key_id: 'AKIA', secret_access_key: 'secret', session_token: 'temporary' };
  const create = (options: object): unknown =>
    providerFromConfig(fromConfig({ provider: { name: 'bedrock', options } }).config, functions);
  create({ region: 'eu-central-1', auth_type: 'static', ...keys });
  create({ region: 'eu-central-1', auth_type: 'profile', profile: 'work' });
  create({ region: 'eu-central-1' });
  const credentials = { accessKeyId: 'AKIA', secretAccessKey: 'secret', sessionToken: 'temporary' };
  expect(seen).toMatchObject([
    { name: 'bedrock', region: 'eu-central-1', credentials },
    { name: 'bedrock', region: 'eu-central-1', profile: 'work' },
    { name: 'bedrock', region: 'eu-central-1' },
  ]);
  expect(seen[2]).not.toHaveProperty('credentials');
});

test.each([
  ['azure', { auth_type: 'managed_identity', token: 'k' }, 'token has no effect'],
  ['azure', { auth_type: 'api_key', client_id: 'c' }, 'client_id has no effect without auth_type "managed_identity"'],
  ['bedrock', { access_key_id: 'AKIA' }, 'access_key_id has no effect without auth_type "static"'],
  ['bedrock', { auth_type: 'static', access_key_id: 'AKIA' }, 'secret_access_key is missing'],
  ['bedrock', { auth_type: 'profile' }, 'profile is missing'],
  ['bedrock', { profile: 'work' }, 'profile has no effect without auth_type "profile"'],
  ['bedrock', { auth_type: 'static', access_key_id: 'a', secret_access_key: 'b', token: 'c' }, 'token has no effect'],
  ['openai', { auth_type: 'none', token: 'k' }, 'token has no effect'],
  ['ollama', { auth_type: 'bearer', token: 'k', auth_header: 'x-key' }, 'auth_header has no effect'],
])('a setting of %s that would have no effect is an error: %o', (name, options, problem) => {
  verifies('config.noEffect');
  expect(problemOf({ provider: { name, options } })).toContain(`provider.options.${problem}`);
});

test('a capability that does not exist is an error with the near one', () => {
  verifies('config.noEffect');
  expect(problemOf({ model: { capabilities: { tool: {} } } })).toContain('did you mean "tools"?');
  expect(problemOf({ model: { capabilities: { smell: {} } } })).toContain('chat, vision, tools, embeddings, audio');
});

test('everything that a provider block can have is written back as it was read', () => {
  verifies('config.file');
  for (const provider of [
    { name: 'azure', options: { deployment: 'd', api_version: 'v', auth_type: 'managed_identity', client_id: 'c' } },
    { name: 'bedrock', options: { region: 'r', auth_type: 'static', access_key_id: 'a', secret_access_key: 's' } },
    { name: 'bedrock', options: { region: 'r', auth_type: 'profile', profile: 'p' } },
    { name: 'openai', base_url: 'https://x', options: { token: 't', auth_type: 'bearer' } },
  ])
    expect(toConfig(fromConfig({ provider }).config)).toMatchObject({ provider });
});

test('timeouts and the pool size of the client block reach the provider', () => {
  verifies('config.client');
  const { config } = fromConfig({ client: { timeout: '24s', connection_timeout: '9s', connection_pool_size: 3 } });
  expect(toProviderSettings(config, () => token)).toMatchObject({
    name: 'ollama',
    timeouts: { connectMs: 9000, firstByteMs: 24_000, idleMs: 24_000 },
    connections: 3,
  });
});
