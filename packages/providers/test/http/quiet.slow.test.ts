import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { createProvider } from '../../src/index.ts';
import { errorOf, request, withServer } from '../support.ts';

test('a server that only keeps a reply open does not do so for ever, on any wire', async () => {
  verifies('providers.timeouts.quiet');
  const signs = [
    ['openai', 'data: {"choices":[{"index":0,"delta":{}}]}\n\n'],
    ['openai', 'data: {"choices":[]}\n\n'],
    ['openai-responses', 'data: {"type":"response.in_progress","response":{"id":"r","status":"in_progress"}}\n\n'],
    ['anthropic', 'event: ping\ndata: {"type":"ping"}\n\n'],
    ['gemini', 'data: {"candidates":[]}\n\n'],
    ['ollama', '{"message":{"role":"assistant","content":""},"done":false}\n'],
  ] as const;
  const ended = signs.map(async ([name, sign]) => {
    const chunks = Array.from({ length: 300 }, () => [{ waitMs: 50 }, sign]).flat();
    let message = '';
    await withServer([{ chunks }], async ({ server }) => {
      const baseUrl = name.startsWith('openai') ? server.baseUrl : new URL(server.baseUrl).origin;
      const provider = createProvider({ name, baseUrl, token: 'k', timeouts: { idleMs: 500 } });
      const error = await errorOf(provider.stream(request()));
      expect(error).toMatchObject({ code: 'PROVIDER_TIMEOUT', data: { timeout: 'idleMs', timeoutMs: 500 } });
      ({ message } = error);
    });
    return message;
  });
  for (const message of await Promise.all(ended)) expect(message).toContain('waited 10000 ms for content');
});
