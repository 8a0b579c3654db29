import { type Provider } from '@kernel/protocol';
import { scriptedProvider, verifies } from '@kernel/testing';
import { describe, expect, test } from 'vitest';
import { refusalOf } from '../../../../test/setup/refusal-of.ts';
import { replay, withRecorder } from '../../src/cassette/index.ts';
import { createProvider, createProviders, lintTools, toDialect, withFallback } from '../../src/index.ts';
import { openaiProvider } from '../../src/openai/index.ts';

/** What a plain JavaScript program may pass. */
const untyped = (value: unknown): never => value as never;
const inner = (): Provider => scriptedProvider([]);

describe.each([
  ['createProvider', (config: object) => createProvider(untyped(config))],
  ['a catalog', (config: object) => createProviders().create(untyped(config))],
])('%s refuses', (_, create) => {
  test.each([
    ['openai', 'baseURL', '"baseUrl"'],
    ['openai', 'apiKey', 'name, baseUrl, token'],
    ['ollama', 'timeout', '"timeouts"'],
    ['anthropic', 'quirks', 'The options are name, '],
    ['azure', 'deploymnet', '"deployment"'],
    ['openai', 'conections', '"connections"'],
  ])('an unknown key in a config of %s: %s', async (name, key, hint) => {
    verifies('providers.registry.keys');
    const error = await refusalOf(() =>
      create({ name, region: name === 'bedrock' ? 'us-east-1' : undefined, [key]: 'sk-1' }),
    );
    expect(error.message).toContain(`"${key}"`);
    expect(error.hint).toContain(hint);
    expect(`${error.message}${error.hint}`).not.toContain('sk-1');
  });

  test.each([
    [{ timeouts: { idle: 5 } }, '"timeouts.idle"', 'timeouts.idleMs'],
    [{ limits: { responseByte: 5 } }, '"limits.responseByte"', 'limits.responseBytes'],
    [{ quirks: { seedFeild: 'seed' } }, '"quirks.seedFeild"', 'quirks.seedField'],
    [{ timeouts: 5000 }, 'timeouts must be an object, not a number', 'connectMs'],
  ])('an unknown nested key: %o', async (config, message, hint) => {
    verifies('providers.registry.keys');
    const error = await refusalOf(() => create({ name: 'openai', ...config }));
    expect(error.message).toContain(message);
    expect(error.hint).toContain(hint);
  });

  test.each(['openai', undefined, ['openai'], {}])('what is not a config with a name: %o', async (config) => {
    verifies('providers.registry.keys');
    expect((await refusalOf(() => create(untyped(config)))).hint).toContain("{ name: 'openai', token }");
  });

  test('nothing that has no value', () => {
    verifies('providers.registry.keys');
    expect(create({ name: 'openai', apiKey: undefined }).name).toBe('openai');
  });
});

test("a vendor's own factory refuses unknown keys too, and a factory of the caller's own takes any", async () => {
  verifies('providers.registry.keys');
  expect((await refusalOf(() => openaiProvider(untyped({ apiKey: 'x' })))).hint).toContain('name, baseUrl, token');
  const catalog = createProviders({ mine: (config) => ({ ...inner(), name: String(config['flavor']) }) });
  expect(catalog.create({ name: 'mine', flavor: 'mint' }).name).toBe('mint');
});

test.each([
  ['withRecorder', () => withRecorder(inner(), () => undefined, untyped({ secret: [] })), '"secrets"'],
  ['replay', () => replay({ version: 1, entries: [] }, untyped({ secret: [] })), '"secrets"'],
])('%s refuses an option that it does not have', async (name, wrap, hint) => {
  verifies('providers.registry.keys');
  const error = await refusalOf(wrap);
  expect(error.message).toContain(name);
  expect(error.hint).toContain(hint);
});

test('a dialect that does not exist is refused with those that there are', async () => {
  verifies('providers.registry.keys');
  for (const use of [() => toDialect({}, untyped('opnai')), () => lintTools([], untyped('opnai'))])
    expect((await refusalOf(use)).message).toContain('must be one of "openai"');
});

test.each([
  ['names', () => withFallback(untyped(['openai'])), 'candidate 1 is not a provider but the text "openai"'],
  ['no list', () => withFallback(untyped(inner())), 'takes an array, not a'],
  ['a name in an entry', () => withFallback([untyped({ provider: 'openai', model: 'm' })]), 'candidate 1'],
])('withFallback that gets %s says what to pass', async (_, wrap, message) => {
  verifies('providers.registry.keys');
  const error = await refusalOf(wrap);
  expect(error.message).toContain(message);
  expect(error.hint).toContain("createProvider({ name: 'openai', token })");
});

test.each([])('%s around something that is not a provider says what to pass', async (name, wrap) => {
  verifies('providers.registry.keys');
  const error = await refusalOf(wrap);
  expect(error.message).toContain(name);
  expect(error.hint).toContain('createProvider(');
});
