/* oxlint-disable vitest/expect-expect -- the suites assert by node:assert */
import { providerConformance, startWireServer, verifies, wireConformance, type WireDelivery } from '@kernel/testing';
import { describe, test } from 'vitest';
import { createProvider } from '../src/index.ts';
import { chunk, sse } from './support.ts';

describe('the provider conformance suite', () => {
  const cases = providerConformance(async (script) => {
    const server = await startWireServer({ replies: script });
    return { provider: createProvider({ name: 'openai', baseUrl: server.baseUrl }), close: () => server.close() };
  });
  test.each(cases)('$name', async ({ run }) => {
    verifies('providers.port', 'providers.stream.end', 'providers.openai.chat');
    await run();
  });
});

describe('a recorded chat-completions stream', () => {
  const bytes = Buffer.from(
    sse(
      chunk({ role: 'assistant', content: 'Grüße 🌍' }),
      chunk({ tool_calls: [{ index: 0, id: 'a', function: { name: 'f', arguments: '{"x"' } }] }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: ':1}' } }] }),
      chunk({}, 'tool_calls'),
      { choices: [], usage: { prompt_tokens: 3, completion_tokens: 4 } },
      '[DONE]',
    ),
  );
  const cases = wireConformance({
    bytes,
    async make(next: () => WireDelivery) {
      const server = await startWireServer({ replies: () => ({ chunks: [bytes], fault: next() }) });
      return { provider: createProvider({ name: 'openai', baseUrl: server.baseUrl }), close: () => server.close() };
    },
  });
  test.each(cases)('$name', async ({ run }) => {
    verifies('providers.stream.sse', 'providers.stream.cut', 'providers.stream.end');
    await run();
  });
});
