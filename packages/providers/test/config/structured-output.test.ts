import type { Provider, StructuredOutput } from '@kernel/protocol';
import { scriptedProvider, verifies } from '@kernel/testing';
import { describe, expect, test } from 'vitest';
import {
  type CustomProviderConfig,
  createProviders,
  withFallback,
  withRateLimit,
  withRetry,
  withUsage,
} from '../../src/index.ts';
import { detectTextCalls, withTextTools } from '../../src/text-tools/with-text-tools.ts';

const create = (config: CustomProviderConfig): Provider => createProviders().create({ token: 'abcd', ...config });
const says = (structuredOutput: StructuredOutput): Provider => scriptedProvider([], { structuredOutput });

describe('how a reply is best held to a schema', () => {
  test.each<readonly [CustomProviderConfig, string, StructuredOutput]>([
    [{ name: 'openai' }, 'gpt-5.1', 'schema'],
    [{ name: 'openai' }, 'gpt-4', 'tool-call'],
    [{ name: 'openai', baseUrl: 'http://127.0.0.1:1/v1' }, 'some-model', 'schema-without-tools'],
    [{ name: 'xai' }, 'grok-4', 'schema'],
    [{ name: 'groq' }, 'llama-3', 'schema-without-tools'],
    [{ name: 'llamacpp' }, 'qwen3', 'schema-without-tools'],
    [{ name: 'deepseek' }, 'deepseek-chat', 'tool-call'],
    [{ name: 'openai-responses' }, 'gpt-5.1', 'schema'],
    [{ name: 'openai-responses' }, 'gpt-3.5-turbo', 'tool-call'],
    [{ name: 'anthropic' }, 'claude-sonnet-5', 'schema'],
    [{ name: 'anthropic' }, 'claude-3-opus', 'tool-call'],
    [{ name: 'gemini' }, 'gemini-3-pro', 'schema'],
    [{ name: 'gemini' }, 'gemini-2.5-flash', 'schema-without-tools'],
    [{ name: 'ollama' }, 'qwen3', 'schema-without-tools'],
    [{ name: 'bedrock', region: 'eu-west-1' }, 'anthropic.claude-sonnet-5-v1:0', 'tool-call'],
  ])('%j with model %s supports "%s"', async (config, model, expected) => {
    verifies('providers.structuredOutput');
    expect(await create(config).structuredOutput?.(model)).toBe(expected);
  });

  test('policies forward it', async () => {
    const inner = says('schema');
    const limited = withRateLimit(inner, { requestsPerMinute: 5 });
    for (const wrapped of [withRetry(inner), withUsage(inner), limited, detectTextCalls(inner)])
      expect(await wrapped.structuredOutput?.('m')).toBe('schema');
    expect(withRetry(scriptedProvider([]))).not.toHaveProperty('structuredOutput');
  });

  test('a fallback can do what the weakest candidate can', async () => {
    const candidates = [says('schema'), { provider: says('schema-without-tools'), model: 'other' }];
    expect(await withFallback(candidates).structuredOutput?.('m')).toBe('schema-without-tools');
    expect(await withFallback([...candidates, scriptedProvider([])]).structuredOutput?.('m')).toBe('tool-call');
    expect(await withFallback([...candidates, says('text')]).structuredOutput?.('m')).toBe('text');
  });

  test('text tools leave no room for a schema together with tools', async () => {
    expect(await withTextTools(says('schema'), 'hermes').structuredOutput?.('m')).toBe('schema-without-tools');
    expect(await withTextTools(says('text'), 'hermes').structuredOutput?.('m')).toBe('text');
    expect(await withTextTools(scriptedProvider([]), 'hermes').structuredOutput?.('m')).toBe('tool-call');
  });
});
