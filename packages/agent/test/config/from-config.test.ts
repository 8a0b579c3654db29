import { KernelError } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { agentSchema, kernelFileSchema } from '../../src/config/agent-schema.ts';
import {
  CONFIG_KEYS,
  DEFAULT_CONFIG,
  formatDuration,
  fromConfig,
  isConfig,
  parseDuration,
  toConfig,
} from '../../src/config/index.ts';

const FILE = {
  name: 'demo',
  system_prompt: 'Be brief.',
  client: {
    timeout: '24s',
    retry: { max_retries: 5, initial_backoff: '500ms', max_backoff: '1m30s', backoff_multiplier: 1.5, jitter: false },
    connection_pool_size: 4,
    connection_timeout: 9_000_000_000,
  },
  provider: { name: 'ollama', base_url: 'http://localhost:11434', options: { keep: true } },
  model: {
    name: 'llama3.2:3b',
    capabilities: { chat: { max_tokens: 4096, temperature: 0.7 }, vision: { vision_options: { detail: 'auto' } } },
  },
};

function errorOf(json: unknown, env = {}): KernelError {
  try {
    fromConfig(json, { file: 'x.json', env });
  } catch (error) {
    if (KernelError.is(error, 'CONFIG_INVALID')) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

test('a config file becomes typed data', () => {
  verifies('config.file');
  const { config, warnings } = fromConfig(JSON.stringify(FILE));
  expect(warnings).toEqual([]);
  expect(config).toEqual({
    name: 'demo',
    systemPrompt: 'Be brief.',
    client: {
      timeoutMs: 24_000,
      retry: { maxRetries: 5, initialBackoffMs: 500, maxBackoffMs: 90_000, multiplier: 1.5, jitter: false },
      connectionPoolSize: 4,
      connectionTimeoutMs: 9000,
    },
    provider: { name: 'ollama', baseUrl: 'http://localhost:11434', options: { keep: true } },
    model: { name: 'llama3.2:3b', capabilities: FILE.model.capabilities },
  });
});

test('an empty file gives the defaults', () => {
  verifies('config.defaults');
  expect(fromConfig({}).config).toEqual({
    name: 'default-agent',
    client: {
      timeoutMs: 120_000,
      retry: { maxRetries: 3, initialBackoffMs: 1000, maxBackoffMs: 30_000, multiplier: 2, jitter: true },
      connectionPoolSize: 10,
      connectionTimeoutMs: 30_000,
    },
    provider: { name: 'ollama', options: {} },
    model: { capabilities: {} },
  });
  expect(DEFAULT_CONFIG).toEqual(fromConfig({}).config);
});

test('durations are text or nanoseconds, and write back as text that reads the same', () => {
  verifies('config.duration');
  for (const [value, ms] of [
    ['24s', 24_000],
    ['1m30s', 90_000],
    ['500ms', 500],
    ['1.5h', 5_400_000],
    ['0', 0],
    [1_500_000, 1.5],
    ['250us', 0.25],
  ] as const) {
    expect(parseDuration(value)).toBe(ms);
    expect(parseDuration(formatDuration(ms))).toBe(ms);
  }
  expect([90_000, 500, 0, 3_600_000].map(formatDuration)).toEqual(['1m30s', '500ms', '0s', '1h']);
  for (const wrong of ['', '24', '1 s', '-1s', 's', '1d', -1, 0.5, true, null, {}]) {
    expect(parseDuration(wrong)).toBeUndefined();
    expect(errorOf({ client: { timeout: wrong } }).message).toContain('client.timeout: expected a duration');
  }
  const read = fromConfig(FILE).config;
  expect(toConfig(read)).toMatchObject({
    client: { timeout: '24s', connection_timeout: '9s', retry: { max_backoff: '1m30s' } },
  });
  expect(fromConfig(toConfig(read)).config).toEqual(read);
});

test('an explicit 0, false or "" is kept', () => {
  verifies('config.zero');
  const { config } = fromConfig({
    name: '',
    system_prompt: '',
    client: { timeout: '0s', retry: { max_retries: 0 } },
    max_iterations: 0,
    model: { capabilities: { chat: { temperature: 0, stream: false } } },
  });
  expect(config).toMatchObject({ name: '', systemPrompt: '', maxIterations: 0 });
  expect(config.client).toMatchObject({ timeoutMs: 0, retry: { maxRetries: 0, jitter: true } });
  expect(config.model.capabilities['chat']).toEqual({ temperature: 0, stream: false });
  expect(fromConfig({ client: { retry: { jitter: false } } }).config.client.retry.jitter).toBe(false);
});

test('all errors are reported at once with file, path and what was expected', () => {
  verifies('config.invalid');
  const error = errorOf({
    name: 1,
    client: { retry: { max_retries: -1, backoff_multiplier: 'x' }, connection_pool_size: 0 },
    model: { capabilities: { chat: [] } },
  });
  expect(error.message.split('\n')).toEqual([
    'x.json has 5 errors:',
    '  name: expected text, got 1',
    '  client.retry.max_retries: expected a whole number of at least 0, got -1',
    '  client.retry.backoff_multiplier: expected a number of at least 1, got other text',
    '  client.connection_pool_size: expected a whole number of at least 1, got 0',
    '  model.capabilities.chat: expected an object of options, got an array',
  ]);
  expect(errorOf('{"name": tru').message).toMatch(/^x\.json: \(root\): expected valid JSON/);
  expect(errorOf('[]').message).toContain('expected a JSON object, got an array');
});

test('an unknown key is a warning with a near name', () => {
  verifies('config.invalid');
  const { warnings } = fromConfig(
    { system_promt: 'x', client: { timeuot: 3, retry: { maxRetries: 1 } }, zzz: 1, ['__proto__x']: 1 },
    { file: 'x.json' },
  );
  expect(warnings).toEqual([
    'x.json: client.retry.maxRetries: unknown key, ignored. Did you mean "client.retry.max_retries"?',
    'x.json: client.timeuot: unknown key, ignored. Did you mean "client.timeout"?',
    'x.json: system_promt: unknown key, ignored. Did you mean "system_prompt"?',
    'x.json: zzz: unknown key, ignored.',
    'x.json: __proto__x: unknown key, ignored.',
  ]);
});

test.each([
  [{ provider: { token: 'k' } }, 'provider.token', 'provider.options.token'],
  [{ client: { max_retries: 3 } }, 'client.max_retries', 'client.retry.max_retries'],
  [{ temperature: 1 }, 'temperature', 'model.capabilities.chat.temperature'],
  [{ client: { modle: 'm' } }, 'client.modle', 'model'],
  [{ provider: { prices: {} } }, 'provider.prices', 'model.prices'],
  [{ max_iteration: 3 }, 'max_iteration', 'max_iterations'],
  [{ provider: { baseURL: 'x' } }, 'provider.baseURL', 'provider.base_url'],
  [{ agent: { provider: { tokn: 'k' } } }, 'agent.provider.tokn', 'agent.provider.options.token'],
])('a key in the wrong block is a warning with the path of the right one: %o', (json, key, path) => {
  verifies('config.invalid');
  expect(fromConfig(json, { file: 'x.json' }).warnings).toEqual([
    `x.json: ${key}: unknown key, ignored. Did you mean "${path}"?`,
  ]);
});

test('the keys by which a config file is known are those of its schema', () => {
  // Any program's file may have a name, and the session is of the kernel program alone.
  const common = new Set(['name', 'session']);
  const keys = new Set([agentSchema, kernelFileSchema].flatMap((schema) => Object.keys(schema.in.shape)));
  expect([...keys].filter((key) => !common.has(key)).toSorted()).toEqual(CONFIG_KEYS.toSorted());
});

test('${VAR} is replaced from the environment, and an unset one is named', () => {
  verifies('config.env');
  const json = { provider: { name: 'openai', options: { token: '${KEY}' } }, system_prompt: 'Costs $${PRICE} or $5' };
  const { config } = fromConfig(json, { env: { KEY: 's3cret' } });
  expect(config.provider).toEqual({ name: 'openai', token: 's3cret', options: {} });
  expect(config.systemPrompt).toBe('Costs ${PRICE} or $5');
  expect(errorOf(json).message).toBe(
    'x.json: provider.options.token: expected the environment variable KEY to be set, got nothing.',
  );
  expect(errorOf({ name: '${toString}' }).message).toContain('toString');
});

test('no error repeats text of the file, which may be a secret', () => {
  expect(JSON.stringify(errorOf({ client: 's3cret', provider: { options: { auth_type: 's3cret' } } }))).not.toContain(
    's3cret',
  );
});

test('a run config may add iterations, memory, agents and its own system prompt', () => {
  verifies('config.run');
  const { config } = fromConfig({
    max_iterations: 7,
    memory: { path: './notes' },
    system_prompt: 'Run.',
    agents: { helper: { name: 'helper', provider: { name: 'openai' } }, constructor: {} },
  });
  expect(config).toMatchObject({ maxIterations: 7, memory: { path: './notes' }, systemPrompt: 'Run.' });
  expect(Object.keys(config.agents ?? {})).toEqual(['helper', 'constructor']);
  expect(config.agents?.['helper']?.provider.name).toBe('openai');
  expect(errorOf({ agents: { a: { client: { timeout: 'x' } } } }).message).toContain('agents.a.client.timeout');
});

test('options of azure become the fields that its provider takes', () => {
  const options = { deployment: 'd', api_version: '2024-10-21', auth_type: 'managed_identity', region: 'eu' };
  expect(fromConfig({ provider: { name: 'azure', base_url: 'https://x', options } }).config.provider).toEqual({
    name: 'azure',
    baseUrl: 'https://x',
    deployment: 'd',
    apiVersion: '2024-10-21',
    authType: 'managed_identity',
    identity: {},
    options: { region: 'eu' },
  });
  expect(errorOf({ provider: { name: 'azure', options: { auth_type: 'magic' } } }).message).toContain(
    'provider.options.auth_type: expected one of',
  );
});

test.each([
  ['openai', { auth_type: 'none', token: 'abcd' }, 'token has no effect without auth_type "bearer" or "api_key"'],
  ['openai', { auth_type: 'none', auth_header: 'x' }, 'auth_header has no effect without auth_type "api_key"'],
  ['openai', { auth_type: 'bearer', auth_header: 'x' }, 'auth_header has no effect without auth_type "api_key"'],
  [
    'azure',
    { auth_type: 'managed_identity', token: 'abcd' },
    'token has no effect without auth_type "api_key" or "bearer"',
  ],
])('a setting of %s that is not used says which auth_type would use it: %j', (name, options, problem) => {
  expect(errorOf({ provider: { name, options } }).message).toContain(problem);
});

test('prices of tokens are read and written; both main ones are needed, and none is below 0', () => {
  verifies('cli.cost');
  const prices = { input: 2.5, output: 10, cached_input: 0.25, cache_write: 3 };
  const { config } = fromConfig({ model: { prices } });
  expect(config.model.prices).toEqual({ input: 2.5, output: 10, cachedInput: 0.25, cacheWrite: 3 });
  expect(fromConfig(toConfig(config)).config).toEqual(config);
  expect(fromConfig({ model: {} }).config.model).not.toHaveProperty('prices');
  expect(() => fromConfig({ model: { prices: { input: 1 } } })).toThrow('model.prices.output');
  expect(() => fromConfig({ model: { prices: { input: -1, output: 1 } } })).toThrow('model.prices.input');
});

test('mistakes of all kinds stand in one error: types, settings without effect, variables, in blocks with unknown keys', () => {
  verifies('config.invalid');
  const { data, message } = errorOf({
    system_prompt: '${UNSET}',
    client: { retry: { max_retries: -1.5, tries: 1 }, timeuot: 1 },
    provider: { tokn: 1, name: 'azure', options: { client_id: 'x', deployment: 1 } },
    model: { capabilities: { char: {}, chat: { tool_choice: 'auto' } } },
    agents: { a: { memory: {} }, b: 'text', c: null },
  });
  expect(
    message
      .split('\n')
      .slice(1)
      .map((line) => line.trim()),
  ).toEqual([
    'system_prompt: expected the environment variable UNSET to be set, got nothing',
    'agents.a.memory has no effect in one of several agents',
    'agents.b: expected an object, got other text',
    'agents.c: expected an object, got null',
    'client.retry.max_retries: expected a whole number of at least 0, got -1.5',
    'provider.options.deployment: expected text, got 1',
    'model.capabilities.char is not a capability; did you mean "chat"?',
    'model.capabilities.chat.tool_choice has no effect: only the capability "tools" has tools to choose from',
  ]);
  expect(data).toMatchObject({ file: 'x.json' });
});

test('unknown keys of every block are warnings, those of agents by name included, and what stands beside them is read', () => {
  verifies('config.invalid');
  const { config, warnings } = fromConfig(
    {
      agent: { name: 'a', models: {}, model: { name: 'm', price: 1 } },
      agents: { 'b.c': { nam: 'x', model: { name: 'n' } } },
      session: { path: 'x' },
    },
    { file: 'x.json' },
  );
  expect(config).toMatchObject({ name: 'a', model: { name: 'm' }, agents: { 'b.c': { model: { name: 'n' } } } });
  expect(warnings).toEqual([
    'x.json: agent.model.price: unknown key, ignored. Did you mean "agent.model.prices"?',
    'x.json: agent.models: unknown key, ignored. Did you mean "agent.model"?',
    'x.json: agents.b.c.nam: unknown key, ignored. Did you mean "agents.b.c.name"?',
    'x.json: session.path: unknown key, ignored. Did you mean "memory.path"?',
  ]);
});

test('a config differs from the JSON of other programs by its settings', () => {
  verifies('config.file');
  const ours = [FILE, { agent: {} }, { agents: { a: FILE } }, { client: { timeout: 'soon' } }, { max_iterations: 3 }];
  const others = [
    [FILE],
    'x',
    null,
    {},
    { name: 'x' },
    { client: { id: 1 }, model: 'gpt', agents: [FILE], agent: 'x' },
  ];
  expect(ours.map(isConfig)).toEqual(ours.map(() => true));
  expect(others.map(isConfig)).toEqual(others.map(() => false));
});
