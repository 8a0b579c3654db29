import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { environmentProxy } from '../../src/http/undici/environment-proxy.ts';

const PROXY = 'http://proxy.test:3128';
const BOTH = { HTTP_PROXY: PROXY, HTTPS_PROXY: PROXY };

test.each([
  ['http://a.test', { HTTP_PROXY: PROXY }, PROXY],
  ['https://a.test', { HTTP_PROXY: PROXY }, undefined],
  ['https://a.test', { HTTPS_PROXY: PROXY }, PROXY],
  ['https://a.test', { https_proxy: PROXY, HTTPS_PROXY: 'http://other.test' }, PROXY],
  ['https://a.test', { https_proxy: '', HTTPS_PROXY: PROXY }, undefined],
  ['https://a.test', { HTTPS_PROXY: 'proxy.test:3128' }, PROXY],
  ['http://a.test', { HTTP_PROXY: PROXY, REQUEST_METHOD: 'GET' }, undefined],
  ['http://a.test', { http_proxy: PROXY, REQUEST_METHOD: 'GET' }, PROXY],
  ['http://localhost:11434', BOTH, undefined],
  ['http://127.0.0.1:11434', BOTH, undefined],
  ['http://[::1]:11434', BOTH, undefined],
  ['http://a.test', {}, undefined],
])('%s with %j goes through %s', (origin, env, expected) => {
  verifies('providers.proxy');
  expect(environmentProxy(origin, env)).toBe(expected);
});

test.each([
  ['a.test', 'https://a.test', true],
  ['a.test', 'https://b.a.test', true],
  ['a.test', 'https://ba.test', false],
  ['.a.test', 'https://b.a.test', true],
  ['*.a.test', 'https://b.a.test', true],
  ['A.Test', 'https://a.test', true],
  ['*', 'https://a.test', true],
  ['b.test, a.test', 'https://a.test', true],
  ['b.test a.test', 'https://a.test', true],
  ['a.test:443', 'https://a.test', true],
  ['a.test:8443', 'https://a.test', false],
  ['a.test:8443', 'https://a.test:8443', true],
  ['10.0.0.1', 'https://10.0.0.1', true],
  ['10.0.0.0/8', 'https://10.2.3.4', true],
  ['10.0.0.0/8', 'https://11.2.3.4', false],
  ['10.0.0.0/99', 'https://10.0.0.1', false],
  ['fd00::/8', 'https://[fd12::1]', true],
  ['0.0.1', 'https://10.0.0.1', false],
  [',', 'https://a.test', false],
])('no_proxy "%s" excludes %s: %s', (noProxy, origin, excluded) => {
  verifies('providers.proxy');
  expect(environmentProxy(origin, { ...BOTH, NO_PROXY: noProxy }) === undefined).toBe(excluded);
});
