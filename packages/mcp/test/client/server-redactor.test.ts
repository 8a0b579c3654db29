import { MIN_GUESSED_SECRET_LENGTH, MIN_SECRET_SEGMENT_LENGTH } from '@kernel/internal';
import { expect, test } from 'vitest';
import { readMcpConfig } from '../../src/client/config.ts';
import { createServerRedactor } from '../../src/client/server-redactor.ts';

function redactorOf(server: unknown): (text: string) => string {
  const [config] = readMcpConfig({ mcpServers: { a: server } });
  if (config === undefined) throw new Error('no server');
  return createServerRedactor(config);
}

test('of an environment that names no secrets, short settings stay readable and longer values are redacted', () => {
  const redact = redactorOf({ command: 'x', env: { MODE: 'test', PORT: '8080', FLAG: 'debug', PIN: 'k3y-12' } });
  expect(MIN_GUESSED_SECRET_LENGTH).toBe(6);
  expect(redact('test failed: debug on port 8080 with k3y-12')).toBe('test failed: debug on port 8080 with [redacted]');
});

test('of an address, long segments of the path are redacted, and its words are not', () => {
  const key = 'k'.repeat(MIN_SECRET_SEGMENT_LENGTH);
  const redact = redactorOf({ url: `https://example.com/connections/${key}/mcp?user=abc&key=abcdef` });
  expect(redact(`connections ${key} ${key.slice(1)} abc abcdef`)).toBe(
    'connections [redacted] [redacted] abc [redacted]',
  );
  expect(redactorOf({ url: `https://example.com/${key.slice(1)}` })(key.slice(1))).toBe(key.slice(1));
});
