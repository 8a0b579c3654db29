import { run, collect } from '@kernel/agent';
import { createProvider } from '@kernel/providers';
import { scriptedProvider, startWireServer, verifies } from '@kernel/testing';
import { bindTool, createRegistry } from '@kernel/tools';
import { describe, expect, onTestFinished, test } from 'vitest';

const SECRET = 's3cret/"key" 1';
const SPELLINGS: readonly (readonly [string, string])[] = [
  ['plainly', SECRET],
  ['in JSON', JSON.stringify(SECRET)],
  ['in a URL', `https://example.com/?key=${encodeURIComponent(SECRET)}`],
  ['in base64', `Basic ${Buffer.from(SECRET).toString('base64')}`],
];

/** What is left of any spelling of the secret in what a person, a log or a model would see. */
function expectNoSecret(seen: unknown): void {
  const text = typeof seen === 'string' ? seen : JSON.stringify(seen);
  for (const [, spelling] of SPELLINGS)
    for (const form of [SECRET, JSON.stringify(SECRET).slice(1, -1), encodeURIComponent(SECRET), spelling])
      expect(text).not.toContain(form);
  expect(text).not.toContain(Buffer.from(SECRET).toString('base64').replace(/=+$/, ''));
  expect(text).toContain('[redacted]');
}

describe.each(SPELLINGS)('a secret spelled %s', (_name, spelling) => {
  test('is taken out of what a tool returns and throws, before model, user and events see it', async () => {
    verifies('architecture.redaction');
    const tool = { name: 'leak', description: 'Leaks.', parameters: { type: 'object', properties: {} } };
    for (const handler of [
      () => `it is ${spelling}`,
      () => ({ deep: [spelling] }),
      () => {
        throw new Error(`failed with ${spelling}`);
      },
    ]) {
      const events: unknown[] = [];
      const registry = createRegistry([bindTool(tool, handler)], { secrets: [SECRET], detail: true });
      registry.onEvent((event) => events.push(event));
      const provider = scriptedProvider([{ calls: [{ name: 'leak' }] }, { text: 'done' }]);
      const messages = [{ role: 'user', content: 'go' }] as const;
      const end = await collect(run({ provider, model: 'any', messages, tools: registry }));
      expectNoSecret(end.messages);
      expectNoSecret(events);
    }
  });

  test('is taken out of a vendor’s error that repeats the key', async () => {
    verifies('architecture.redaction');
    const server = await startWireServer({
      replies: () => ({ status: 401, headers: { 'content-type': 'text/plain' }, chunks: [`Wrong key: ${spelling}`] }),
    });
    onTestFinished(() => server.close());
    const provider = createProvider({ name: 'openai', baseUrl: server.baseUrl, token: SECRET });
    const messages = [{ role: 'user', content: 'go' }] as const;
    const end = await collect(run({ provider, model: 'any', messages }));
    expect(end.reason).toBe('error');
    if (end.reason !== 'error') return;
    expectNoSecret(`${end.error.message} ${end.error.hint} ${JSON.stringify(end.error)}`);
  });
});
