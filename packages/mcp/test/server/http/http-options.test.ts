import { KernelError } from '@kernel/protocol';
import { describe, expect, test } from 'vitest';
import { httpSettings, toUrlHost } from '../../../src/server/http/http-options.ts';

describe('what is refused at once', () => {
  const wrong = {
    'a host that others reach, without a token': { host: '0.0.0.0' },
    'a name that may lead anywhere, without a token': { host: 'example.com' },
    'an empty token': { token: '' },
    'a token with a space': { token: 'two words' },
    'a token that no header can carry': { token: 'schlüssel' },
    'a path without a slash': { path: 'mcp' },
    'a port that is none': { port: 70_000 },
    'a limit of nothing': { maxSessions: 0 },
    'a body of half a byte': { maxBodyBytes: 0.5 },
    'a time that no timer can measure': { sessionIdleMs: 2 ** 31 },
  };
  test.each(Object.entries(wrong))('%s', (_what, options) => {
    expect(() => httpSettings(options)).toThrow(KernelError);
    expect(() => httpSettings(options)).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', hint: expect.any(String) as string }),
    );
  });
});

test('a time that no timer can measure is told apart from one that is no time', () => {
  expect(() => httpSettings({ sessionIdleMs: 2 ** 31 })).toThrow('2147483648, longer than a timer can wait');
  expect(() => httpSettings({ sessionIdleMs: 0 })).toThrow(/sessionIdleMs is 0\.$/);
});

test('loopback needs no token, and with one any host will do', () => {
  for (const host of ['127.0.0.1', '127.8.8.8', 'localhost', '::1', '[::1]'])
    expect(httpSettings({ host }).host).toBe(host);
  expect(httpSettings({ host: '0.0.0.0', token: 'secret' }).allowedHosts).toContain('0.0.0.0');
});

test('an IPv6 host stands in brackets in an address', () => {
  expect(toUrlHost('::1')).toBe('[::1]');
  expect(toUrlHost('[::1]')).toBe('[::1]');
  expect(toUrlHost('localhost')).toBe('localhost');
});
