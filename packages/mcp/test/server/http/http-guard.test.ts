import { verifies } from '@kernel/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { serveHttp, type ServeHttpOptions } from '../../../src/index.ts';
import { hello, rpc, send } from '../raw.ts';
import { changeable } from '../support.ts';

const open = rpc('initialize', hello());

async function urlOf(options: ServeHttpOptions = {}): Promise<string> {
  const server = await serveHttp(changeable('a'), options);
  onTestFinished(() => server.close());
  return server.url;
}

describe('DNS rebinding', () => {
  test('a foreign Host or Origin is refused with 403, also when the other is right', async () => {
    verifies('mcp.server.lifecycle');
    const url = await urlOf();
    for (const headers of [
      { host: 'evil.example.com' },
      { host: '127.0.0.1.evil.example.com' },
      { origin: 'http://evil.example.com' },
      { origin: 'null' },
      { host: 'evil.example.com', origin: 'http://localhost' },
    ])
      expect((await send(url, open, headers)).status).toBe(403);
  });

  test('the names of this machine pass, with any port, and so does a client without an Origin', async () => {
    const url = await urlOf();
    for (const headers of [{}, { host: 'localhost:9' }, { host: '[::1]' }, { origin: 'http://localhost:6274' }])
      expect((await send(url, open, headers)).status).toBe(200);
  });

  test('other names can be allowed, and then the usual ones are not', async () => {
    const url = await urlOf({ allowedHosts: ['Tools.TEST'], allowedOrigins: ['app.test'] });
    expect((await send(url, open, { host: 'tools.test', origin: 'https://app.test' })).status).toBe(200);
    expect((await send(url, open, { host: 'tools.test', origin: 'http://localhost' })).status).toBe(403);
    expect((await send(url, open)).status).toBe(403);
  });
});

describe('a bearer token', () => {
  const token = 's3cret-token';

  test('is asked for before anything else is done, and its scheme is named', async () => {
    verifies('mcp.server.lifecycle');
    const url = await urlOf({ token });
    const missing = await send(url, open);
    expect(missing).toMatchObject({ status: 401, headers: { 'www-authenticate': 'Bearer realm="mcp"' } });
    for (const authorization of [
      'Bearer wrong',
      `Basic ${token}`,
      token,
      'Bearer',
      `Bearer ${token}x`,
      `Bearer ${token} x`,
    ]) {
      const wrong = await send(url, open, { authorization });
      expect(wrong.status).toBe(401);
      expect(wrong.headers['www-authenticate']).toContain('invalid_token');
      expect(wrong.text).not.toContain(token);
    }
  });

  test('lets its bearer in, whatever the case of the scheme', async () => {
    const url = await urlOf({ token });
    for (const scheme of ['Bearer', 'bearer'])
      expect((await send(url, open, { authorization: `${scheme} ${token}` })).status).toBe(200);
  });

  test('guards both protocols and every session', async () => {
    const url = await urlOf({ token });
    const { headers } = await send(url, open, { authorization: `Bearer ${token}` });
    const session = { 'mcp-session-id': String(headers['mcp-session-id']) };
    expect((await send(url, rpc('ping'), session)).status).toBe(401);
    expect((await send(url, undefined, session, 'DELETE')).status).toBe(401);
    expect((await send(url, rpc('tools/list'), { 'mcp-protocol-version': '2026-07-28' })).status).toBe(401);
  });
});

describe('the rest', () => {
  test('another path is not found', async () => {
    const url = await urlOf({ path: '/tools' });
    expect(url).toMatch(/\/tools$/);
    expect((await send(url, open)).status).toBe(200);
    expect((await send(url.replace('/tools', '/'), open)).status).toBe(404);
    expect((await send(`${url}?session=1`, open)).status).toBe(200);
  });

  test('a body over the limit is refused, whether or not it says its length', async () => {
    const url = await urlOf({ maxBodyBytes: 1000 });
    const long = rpc('ping', { text: 'x'.repeat(2000) });
    expect((await send(url, long)).status).toBe(413);
    expect((await send(url, long, { 'transfer-encoding': 'chunked' })).status).toBe(413);
    expect((await send(url, open)).status).toBe(200);
  });
});
