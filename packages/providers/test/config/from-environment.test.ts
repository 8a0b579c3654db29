import { verifies } from '@kernel/testing';
import { afterEach, expect, test, vi } from 'vitest';
import { ollamaAddress } from '../../src/config/from-environment.ts';
import { createProvider, fromEnvironment, type ProviderConfig } from '../../src/index.ts';
import { endOf, errorOf, request, sse, chunk, withServer } from '../support.ts';

const OK = { chunks: [sse(chunk({ content: 'ok' }), chunk({}, 'stop'))] };

afterEach(() => vi.unstubAllEnvs());

test('a config from the environment sends its key to the address that the environment names', async () => {
  verifies('providers.environment');
  await withServer([OK], async ({ server }) => {
    vi.stubEnv('OPENAI_BASE_URL', ` ${server.baseUrl} `);
    vi.stubEnv('OPENAI_API_KEY', 'sk-of-the-environment');
    await endOf(createProvider(fromEnvironment({ name: 'openai' })).stream(request()));
    expect(server.requests[0]?.headers['authorization']).toBe('Bearer sk-of-the-environment');
  });
});

test('a config with an address of its own gets no key of the environment, and one with a token keeps it', async () => {
  verifies('providers.environment');
  vi.stubEnv('OPENAI_BASE_URL', 'http://127.0.0.1:1/v1');
  vi.stubEnv('OPENAI_API_KEY', 'sk-of-the-environment');
  await withServer([OK, OK], async ({ server: { baseUrl, requests } }) => {
    await endOf(createProvider(fromEnvironment({ name: 'openai', baseUrl })).stream(request()));
    expect(requests[0]?.headers).not.toHaveProperty('authorization');
    await endOf(createProvider(fromEnvironment({ name: 'openai', baseUrl, token: 'mine' })).stream(request()));
    expect(requests[1]?.headers['authorization']).toBe('Bearer mine');
  });
});

test('a key that is not set is an error at the first request, with its name', async () => {
  verifies('providers.environment');
  vi.stubEnv('ANTHROPIC_API_KEY', '');
  const error = await errorOf(createProvider(fromEnvironment({ name: 'anthropic' })).stream(request()));
  expect(error.message).toContain('ANTHROPIC_API_KEY');
});

test('variables of another vendor are not guessed', () => {
  verifies('providers.environment');
  const config = { name: 'gemini' } as unknown as ProviderConfig & { name: 'openai' };
  expect(() => fromEnvironment(config)).toThrow('has no variables for "gemini"');
});

test.each([
  ['127.0.0.1:11435', 'http://127.0.0.1:11435'],
  ['gpu-box', 'http://gpu-box:11434'],
  [':8080', 'http://127.0.0.1:8080'],
  ['0.0.0.0', 'http://127.0.0.1:11434'],
  ['0.0.0.0:8080', 'http://127.0.0.1:8080'],
  ['gpu-box:80', 'http://gpu-box'],
  ['http://gpu-box', 'http://gpu-box'],
  ['https://ollama.example.test', 'https://ollama.example.test'],
  ['https://ollama.example.test:8443/base', 'https://ollama.example.test:8443/base'],
  ['[::1]:11435', 'http://[::1]:11435'],
  ['::1', 'http://[::1]:11434'],
  ['::', 'http://127.0.0.1:11434'],
])('OLLAMA_HOST "%s" is %s', (value, address) => {
  verifies('providers.environment');
  expect(ollamaAddress(value)).toBe(address);
  vi.stubEnv('OLLAMA_HOST', value);
  expect(fromEnvironment({ name: 'ollama' })).toEqual({ name: 'ollama', baseUrl: address });
});
