import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { createProvider } from '../../src/index.ts';

test.each([
  ['http://user:SUPERSECRET@host:99999999', 'http://host:99999999'],
  ['http://SUPERSECRET@host:99999999/v1', 'http://host:99999999/v1'],
  ['http://user:SUPER/SECRET@host', 'http://host'],
  ['https://user:SUPER@SECRET@[host]/v1', 'https://[host]/v1'],
  ['//user:SUPERSECRET@host', 'host'],
  ['http://host:99999999/v1', 'http://host:99999999/v1'],
])('an address that is not a URL is shown without its credential: %s', (baseUrl, shown) => {
  verifies('providers.auth.secret');
  const create = (): unknown => createProvider({ name: 'openai', baseUrl });
  expect(create).toThrow(
    expect.objectContaining({ code: 'CONFIG_INVALID', message: `openai: baseUrl is not a URL: "${shown}".` }),
  );
});

test.each([
  ['SUPERSECRET:pass@host', 'host'],
  ['user:SUPERSECRET@host/v1', 'host/v1'],
  ['user:SUPER://SECRET@host/v1', 'host/v1'],
  ['user:SUPER@SECRET@localhost:8080', 'localhost:8080'],
  ['localhost:8080/v1', 'localhost:8080/v1'],
])('an address without http:// or https:// is refused for that, without its credential: %s', (baseUrl, shown) => {
  verifies('providers.auth.secret');
  expect((): unknown => createProvider({ name: 'openai', baseUrl })).toThrow(
    expect.objectContaining({
      code: 'CONFIG_INVALID',
      message: `openai: baseUrl does not begin with http:// or https://: "${shown}".`,
    }),
  );
});

test('an address of another scheme is refused for it', () => {
  verifies('providers.auth.secret');
  const create = (): unknown => createProvider({ name: 'openai', baseUrl: 'ws://user:SUPERSECRET@host' });
  expect(create).toThrow(expect.objectContaining({ message: expect.stringContaining('has the scheme "ws:"') }));
  expect(create).not.toThrow('SUPERSECRET');
});
