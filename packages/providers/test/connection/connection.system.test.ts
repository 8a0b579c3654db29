import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { textOf } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createProvider, type ProviderConfig } from '../../src/index.ts';
import { endOf, errorOf, request, until } from '../support.ts';
import { findOpenssl, makeCertificates } from './certificates.ts';
import { startChat, startProxy } from './servers.ts';

const openssl = findOpenssl(['providers.proxy', 'providers.tls']);
const certificates = openssl.present ? makeCertificates(openssl.path) : undefined;
const PASSWORD = 'correct-horse-battery';
const CREDENTIAL = `Basic ${Buffer.from(`ada:${PASSWORD}`).toString('base64')}`;

type Settings = Partial<Omit<ProviderConfig, 'name'>>;

function chat(baseUrl: string, settings: Settings = {}) {
  return createProvider({ name: 'openai', baseUrl, ...settings });
}

async function answerOf(baseUrl: string, settings: Settings = {}): Promise<string> {
  return textOf((await endOf(chat(baseUrl, settings).stream(request()))).message);
}

function failureOf(baseUrl: string, settings: Settings = {}) {
  return errorOf(chat(baseUrl, settings).stream(request()));
}

function setEnvironment(variables: Readonly<Record<string, string>>): void {
  for (const name of ['http_proxy', 'https_proxy', 'no_proxy', 'HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY'])
    vi.stubEnv(name, variables[name]);
  onTestFinished(() => void vi.unstubAllEnvs());
}

test('a request to http goes through the proxy of the config, with its credential and the Host of the server', async () => {
  verifies('providers.proxy');
  const [server, proxy] = [await startChat(), await startProxy({ credential: CREDENTIAL })];
  const baseUrl = `http://api.example.test:${server.port}/v1`;
  expect(await answerOf(baseUrl, { proxy: `http://ada:${PASSWORD}@127.0.0.1:${proxy.port}` })).toBe('Hello');
  expect(proxy.asked).toEqual([{ method: 'POST', target: `${baseUrl}/chat/completions`, credential: CREDENTIAL }]);
  expect(server.requests[0]?.headers).toMatchObject({ host: `api.example.test:${server.port}` });
  expect(server.requests[0]?.headers).not.toHaveProperty('proxy-authorization');
});

test(
  'a request to https goes through a tunnel, whose proxy sees neither the path nor the token',
  openssl.options,
  async () => {
    verifies('providers.proxy');
    const server = await startChat(certificates?.server);
    const proxy = await startProxy({ credential: CREDENTIAL });
    const provider = chat(`https://api.example.test:${server.port}/v1`, {
      proxy: `http://ada:${PASSWORD}@127.0.0.1:${proxy.port}`,
      tls: { ca: certificates?.ca },
      token: 'sk-secret-of-the-vendor',
    });
    for (let at = 0; at < 3; at += 1) expect(textOf((await endOf(provider.stream(request()))).message)).toBe('Hello');
    expect(proxy.asked).toEqual([
      { method: 'CONNECT', target: `api.example.test:${server.port}`, credential: CREDENTIAL },
    ]);
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual(
      Array.from({ length: 3 }, () => 'Bearer sk-secret-of-the-vendor'),
    );
    expect(server.requests[0]?.headers).not.toHaveProperty('proxy-authorization');
  },
);

test.each(['localhost', '127.0.0.1'])(
  'a proxy with https at %s is reached over TLS, for http and for https',
  openssl.options,
  async (host) => {
    verifies('providers.proxy', 'providers.tls');
    const tls = { ca: certificates?.ca };
    const [plain, secure] = [await startChat(), await startChat(certificates?.server)];
    const proxy = await startProxy(certificates === undefined ? {} : { tls: certificates.server });
    const url = `https://${host}:${proxy.port}`;
    expect(await answerOf(`http://api.example.test:${plain.port}/v1`, { proxy: url, tls })).toBe('Hello');
    expect(await answerOf(`https://api.example.test:${secure.port}/v1`, { proxy: url, tls })).toBe('Hello');
    expect(proxy.asked.map(({ method }) => method)).toEqual(['POST', 'CONNECT']);
  },
);

test.each(['http', 'https'])(
  'a proxy that refuses the credential is an error without the password (%s)',
  async (scheme) => {
    verifies('providers.proxy', 'architecture.redaction');
    const proxy = await startProxy({ credential: CREDENTIAL });
    const error = await failureOf(`${scheme}://api.example.test:1/v1`, {
      proxy: `http://ada:wrong-${PASSWORD}@127.0.0.1:${proxy.port}`,
    });
    expect(error.code).toBe(scheme === 'https' ? 'PROVIDER_NETWORK' : 'PROVIDER_HTTP');
    expect(error.message).toContain('407');
    expect(JSON.stringify([error.message, error.hint, error.data, String(error.cause)])).not.toContain('wrong-');
  },
);

test('a proxy that does not answer ends by the connect timeout, and an abort closes its connection', async () => {
  verifies('providers.proxy', 'providers.timeouts');
  const proxy = await startProxy({ silent: true });
  const settings = { proxy: `http://127.0.0.1:${proxy.port}` };
  const late = await failureOf('https://api.example.test/v1', { ...settings, timeouts: { connectMs: 100 } });
  expect(late).toMatchObject({ code: 'PROVIDER_TIMEOUT', data: { timeout: 'connectMs' } });
  await until(() => proxy.open() === 0, 60_000);
  const abort = new AbortController();
  // On a busy machine the first connection was closed before the proxy had read what it asks for.
  const before = proxy.asked.length;
  const failed = errorOf(chat('https://api.example.test/v1', settings).stream(request({ signal: abort.signal })));
  await until(() => proxy.asked.length > before, 60_000);
  const reason = new Error('enough');
  abort.abort(reason);
  expect(await failed).toBe(reason);
  await until(() => proxy.open() === 0, 60_000);
});

test('a proxy and TLS behind it have one connect timeout between them', async () => {
  verifies('providers.proxy', 'providers.timeouts');
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const proxy = await startProxy({ slow: true });
  const failed = failureOf('https://api.example.test/v1', {
    proxy: `http://127.0.0.1:${proxy.port}`,
    timeouts: { connectMs: 60_000, firstByteMs: 0, idleMs: 0, totalMs: 0 },
  });
  const reached = async (isThere: () => boolean): Promise<void> => {
    while (!isThere()) await new Promise(setImmediate);
  };
  await reached(() => proxy.asked.length === 1);
  vi.advanceTimersByTime(59_000);
  proxy.establish();
  await reached(() => proxy.received() > 0);
  vi.advanceTimersByTime(1000);
  expect(await failed).toMatchObject({ code: 'PROVIDER_TIMEOUT', data: { timeout: 'connectMs' } });
  await reached(() => proxy.open() === 0);
}, 60_000);

test('a tunnel is open with any status of success', openssl.options, async () => {
  verifies('providers.proxy');
  const server = await startChat(certificates?.server);
  const proxy = await startProxy({ status: '201 Created' });
  const settings = { proxy: `http://127.0.0.1:${proxy.port}`, tls: { ca: certificates?.ca } };
  expect(await answerOf(`https://api.example.test:${server.port}/v1`, settings)).toBe('Hello');
});

test(
  'a proxy that asks for a certificate does not get that of the client, a server behind it does',
  openssl.options,
  async () => {
    verifies('providers.tls');
    const asking = { ...certificates?.server, ca: certificates?.ca, requestCert: true };
    const [plain, secure] = [await startChat(), await startChat(asking)];
    const proxy = await startProxy({ tls: { ...asking, rejectUnauthorized: false } });
    const settings = {
      proxy: `https://localhost:${proxy.port}`,
      tls: { ca: certificates?.ca, ...certificates?.client },
    };
    expect(await answerOf(`http://api.example.test:${plain.port}/v1`, settings)).toBe('Hello');
    expect(await answerOf(`https://api.example.test:${secure.port}/v1`, settings)).toBe('Hello');
    expect(proxy.asked.map(({ client, method }) => [method, client])).toEqual([
      ['POST', undefined],
      ['CONNECT', undefined],
    ]);
  },
);

test('the proxy of the environment is used, except for hosts that it excludes, for this machine, and with proxy: false', async () => {
  verifies('providers.proxy');
  const [server, proxy] = [await startChat(), await startProxy()];
  const baseUrl = `http://api.example.test:${server.port}/v1`;
  setEnvironment({ HTTP_PROXY: `http://127.0.0.1:${proxy.port}`, NO_PROXY: 'other.test' });
  expect(await answerOf(baseUrl)).toBe('Hello');
  expect(proxy.asked).toHaveLength(1);
  expect(await answerOf(`http://127.0.0.1:${server.port}/v1`)).toBe('Hello');
  // Without the proxy, nothing of this name is there.
  expect(await failureOf(baseUrl, { proxy: false })).toMatchObject({ code: 'PROVIDER_NETWORK' });
  setEnvironment({ HTTP_PROXY: `http://127.0.0.1:${proxy.port}`, NO_PROXY: 'example.test' });
  expect(await failureOf(baseUrl)).toMatchObject({ code: 'PROVIDER_NETWORK' });
  expect(proxy.asked).toHaveLength(1);
});

test(
  'a certificate of an authority of your own is trusted by tls.ca, and refused without',
  openssl.options,
  async () => {
    verifies('providers.tls');
    const server = await startChat(certificates?.server);
    const baseUrl = `https://localhost:${server.port}/v1`;
    const refused = await failureOf(baseUrl);
    expect(refused).toMatchObject({ code: 'PROVIDER_NETWORK', data: { errno: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' } });
    expect(server.requests).toHaveLength(0);
    expect(await answerOf(baseUrl, { tls: { ca: certificates?.ca } })).toBe('Hello');
  },
);

test(
  'a certificate for another name is refused, unless tls.servername says which name is meant',
  openssl.options,
  async () => {
    verifies('providers.tls');
    const server = await startChat(certificates?.server);
    const baseUrl = `https://127.0.0.1:${server.port}/v1`;
    const tls = { ca: certificates?.ca };
    expect(await failureOf(baseUrl, { tls: { ...tls, servername: 'other.test' } })).toMatchObject({
      data: { errno: 'ERR_TLS_CERT_ALTNAME_INVALID' },
    });
    expect(await answerOf(baseUrl, { tls: { ...tls, servername: 'api.example.test' } })).toBe('Hello');
  },
);

test(
  'a server that asks for a certificate gets tls.cert, and refuses the connection without',
  openssl.options,
  async () => {
    verifies('providers.tls');
    const server = await startChat({ ...certificates?.server, ca: certificates?.ca, requestCert: true });
    const baseUrl = `https://localhost:${server.port}/v1`;
    expect(await failureOf(baseUrl, { tls: { ca: certificates?.ca } })).toMatchObject({ code: 'PROVIDER_NETWORK' });
    expect(server.requests).toHaveLength(0);
    expect(await answerOf(baseUrl, { tls: { ca: certificates?.ca, ...certificates?.client } })).toBe('Hello');
  },
);

test.skipIf(process.platform === 'win32')(
  'a server on a Unix socket is reached by socketPath, and no proxy is asked',
  async () => {
    verifies('providers.socketPath');
    const folder = mkdtempSync(join(tmpdir(), 'socket-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const path = join(folder, 'model.sock');
    const server = await startChat(undefined, path);
    const proxy = await startProxy();
    setEnvironment({ HTTP_PROXY: `http://127.0.0.1:${proxy.port}` });
    expect(await answerOf('http://localhost/engines/v1', { socketPath: path })).toBe('Hello');
    expect(server.requests[0]).toMatchObject({
      url: '/engines/v1/chat/completions',
      headers: { host: 'localhost' },
    });
    expect(proxy.asked).toEqual([]);
  },
);

test.each([
  [{ proxy: 'socks5://127.0.0.1:1' }, 'proxy has the scheme "socks5:"'],
  [{ proxy: 'not a url' }, 'proxy is not a URL'],
  [{ proxy: 'ada:secret@127.0.0.1:1' }, 'proxy does not begin with http:// or https://.'],
  [{ proxy: 'http://127.0.0.1:1/path' }, 'proxy has a path'],
  [{ proxy: true }, 'proxy is not a URL'],
  [{ proxy: 'http://127.0.0.1:1', socketPath: '/tmp/a' }, 'exclude each other'],
  [{ proxy: 'http://127.0.0.1:1', fetch: globalThis.fetch }, 'proxy has no effect with fetch'],
  [{ tls: {}, fetch: globalThis.fetch }, 'tls has no effect with fetch'],
  [{ socketPath: '' }, 'socketPath is not a path'],
  [{ tls: { rejectUnauthorized: false } }, 'rejectUnauthorized'],
  [{ fetch: 'node-fetch' }, 'fetch'],
])('%j is CONFIG_INVALID at once', (settings, message) => {
  verifies('providers.proxy', 'providers.tls', 'providers.socketPath');
  expect(() => chat('http://127.0.0.1:1/v1', settings as Settings)).toThrow(message);
});
