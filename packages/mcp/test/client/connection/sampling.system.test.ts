import { scriptedProvider, verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { type McpSampling, type McpSamplingRequest } from '../../../src/index.ts';
import { call, connected, misbehaving } from '../programs.ts';

const USAGE = { inputTokens: 40, outputTokens: 20 };

function sampling(more: Partial<McpSampling> = {}) {
  const provider = scriptedProvider(Array.from({ length: 20 }, () => ({ text: 'Paris.', usage: USAGE })));
  const asked: McpSamplingRequest[] = [];
  const approve = (request: McpSamplingRequest): boolean => asked.push(request) > 0;
  return { provider, asked, options: { sampling: { provider, model: 'small', approve, ...more } } };
}

test('a server that drops its connection has used what it had used', async () => {
  verifies('mcp.client.sampling');
  const { provider, options } = sampling({ limits: { calls: 1 } });
  const toolset = await connected({ a: misbehaving('asks-the-model') }, options);
  expect(JSON.parse((await call(toolset, 'mcp__a__ok')).forLLM)).toMatchObject({ role: 'assistant' });
  expect(await call(toolset, 'mcp__a__ok', { die: true })).toMatchObject({ code: 'OUTCOME_UNKNOWN' });
  expect((await call(toolset, 'mcp__a__ok')).forLLM).toContain('may not ask the model any more');
  expect(provider.requests).toHaveLength(1);
});
