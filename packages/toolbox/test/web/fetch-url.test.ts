import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { verifies } from '@kernel/testing';
import { describe, expect, it } from 'vitest';
import { fetchUrlTool, type FetchUrlOptions } from '../../src/web/index.ts';
import { call, serve } from './support.ts';

/** Loopback is where the tests are. */
const local = (options: FetchUrlOptions = {}) => fetchUrlTool({ mayConnect: () => true, ...options });

const PNG = Buffer.from('89504e470d0a1a0a', 'hex');

describe('fetch_url', () => {
  it('returns an image as media, and refuses what is neither', async () => {
    const origin = await serve((request, response) => {
      response.setHeader('content-type', request.url === '/image' ? 'image/png' : 'application/octet-stream');
      response.end(request.url === '/image' ? PNG : Buffer.from([0, 1, 2]));
    });
    expect((await call(local(), { url: `${origin}/image` })).media).toEqual([
      { type: 'image', mimeType: 'image/png', data: PNG.toString('base64') },
    ]);
    await expect(call(local(), { url: `${origin}/other` })).rejects.toThrow('is not text (application/octet-stream)');
  });

  it('cuts a long document, and goes on where it is told to', async () => {
    const text = Array.from({ length: 1000 }, (_, index) => `line ${index}`).join('\n');
    const origin = await serve((_request, response) => response.setHeader('content-type', 'text/plain').end(text));
    const tool = local({ maxCharacters: 500 });
    const first = (await call(tool, { url: origin })).forLLM;
    expect(first).toContain('go on with start: 500.');
    expect((await call(tool, { url: origin, start: 500 })).forLLM).toContain(text.slice(500, 1000));
    expect((await call(tool, { url: origin, start: 99_999 })).forLLM).toContain('(nothing)');
  });

  it.each([
    ['gzip', gzipSync],
    ['br', (data: Buffer) => brotliCompressSync(data, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })],
    ['deflate', deflateSync],
    ['deflate', deflateRawSync],
  ] as const)('unpacks %s, and counts what was unpacked', async (encoding, pack) => {
    const origin = await serve((request, response) => {
      response.setHeader('content-encoding', encoding).setHeader('content-type', 'text/plain');
      response.end(pack(Buffer.from(request.url === '/bomb' ? 'x'.repeat(50_000_000) : 'packed')));
    });
    expect((await call(local(), { url: origin })).forLLM).toContain('packed');
    const bomb = call(local({ maxBytes: 100_000 }), { url: `${origin}/bomb` });
    await expect(bomb).rejects.toThrow('it is larger than 100000 bytes');
  });

  const NAMED = Buffer.from(gzipSync('packed'));
  NAMED[3] = 0x1c; // an extra field, a name and a comment
  const LONG = Buffer.concat([NAMED.subarray(0, 10), Buffer.from('\u0002\0xxpage.txt\0made\0'), NAMED.subarray(10)]);
  it.each([
    ['bytes behind the end of gzip', Buffer.concat([gzipSync('packed'), Buffer.from('\r\n<!-- x -->')])],
    ['one byte of a further part', Buffer.concat([gzipSync('packed'), Buffer.from([0x1f])])],
    ['several parts of gzip', Buffer.concat([gzipSync('pac'), gzipSync('ked'), Buffer.alloc(9)])],
    ['gzip with a name', LONG],
    ['bytes behind the end of deflate', Buffer.concat([deflateSync('packed'), Buffer.from('x')])],
  ])('a page is read as in a browser: %s', async (what, body) => {
    const origin = await serve((_request, response) => {
      const encoding = what.includes('deflate') ? 'deflate' : 'gzip';
      response.setHeader('content-encoding', encoding).setHeader('content-type', 'text/plain').end(body);
    });
    expect((await call(local(), { url: origin })).forLLM).toMatch(/\npacked$/);
  });

  it.each([
    ['ended early', gzipSync('packed').subarray(0, -3), 'it ended early'],
    ['was damaged', gzipSync('packed').fill(1, 18, 22), 'it is damaged'],
    ['is none of gzip', Buffer.from('packed'), 'it is not packed as gzip, as the server says'],
    ['ended in a name', Buffer.from('1f8b0808000000000003616263', 'hex'), 'unexpected end of file'],
  ])('a body that %s is refused, not taken for a whole one', async (_what, body, why) => {
    const origin = await serve((_request, response) => {
      response.setHeader('content-encoding', 'gzip').setHeader('content-type', 'text/plain').end(body);
    });
    await expect(call(local(), { url: origin })).rejects.toThrow(why);
  });

  it('says what a server answered that is not a page', async () => {
    const origin = await serve((_request, response) => {
      response.statusCode = 404;
      response.end('<h1>Not here</h1>');
    });
    await expect(call(local(), { url: origin })).rejects.toThrow('answered 404: "Not here"');
  });

  it('follows a redirect on the same host, reports one to another host, and ends a circle', async () => {
    verifies('toolbox.web.redirects');
    const other = await serve((_request, response) => response.end('other'));
    const origin = await serve((request, response) => {
      const to = { '/a': '/b', '/loop': '/loop', '/away': other, '/file': 'file:///etc/passwd', '/bad': 'http://[' }[
        request.url ?? ''
      ];
      if (to === undefined) response.end('arrived');
      else response.writeHead(302, { location: to }).end();
    });
    expect((await call(local(), { url: `${origin}/a` })).forLLM).toContain('arrived');
    expect((await call(local(), { url: `${origin}/away` })).forLLM).toContain(`another host: ${other}/`);
    expect((await call(local({ otherHosts: 'follow' }), { url: `${origin}/away` })).forLLM).toContain('other');
    await expect(call(local(), { url: `${origin}/loop` })).rejects.toThrow('redirected more than 5 times');
    await expect(call(local({ otherHosts: 'follow' }), { url: `${origin}/file` })).rejects.toThrow(
      'only http and https',
    );
    await expect(call(local(), { url: `${origin}/bad` })).rejects.toThrow('not valid');
  });

  it.each([
    ['UTF-8', '/straße?q=größe'],
    ['escaped', '/stra%C3%9Fe?q=gr%C3%B6%C3%9Fe'],
    ['both', '/stra%C3%9Fe?q=größe'],
  ])('follows a redirect whose address is written as %s', async (_, location) => {
    verifies('toolbox.web.redirects');
    const origin = await serve((request, response) => {
      if (request.url !== '/old') response.end(`asked for ${request.url}`);
      else response.writeHead(302, { location: Buffer.from(location).toString('latin1') }).end();
    });
    const { forLLM } = await call(local(), { url: `${origin}/old` });
    expect(forLLM).toContain('asked for /stra%C3%9Fe?q=gr%C3%B6%C3%9Fe');
  });

  it('checks the address of each redirect again', async () => {
    let reached = 0;
    const inner = await serve((_request, response) => {
      reached += 1;
      response.end('inner');
    });
    const port = new URL(inner).port;
    const origin = await serve((_request, response) =>
      response.writeHead(307, { location: `http://127.0.0.2:${port}/` }).end(),
    );
    const tool = fetchUrlTool({ mayConnect: (address) => address === '127.0.0.1', otherHosts: 'follow' });
    await expect(call(tool, { url: origin })).rejects.toThrow('"127.0.0.2" is not a public address');
    expect(reached).toBe(0);
  });

  it('checks every address that a name resolves to', async () => {
    const seen: string[] = [];
    const tool = fetchUrlTool({
      mayConnect: (address) => {
        seen.push(address);
        return false;
      },
    });
    await expect(call(tool, { url: 'http://localhost:9/' })).rejects.toThrow('"localhost" is not a public address');
    expect(seen.length).toBeGreaterThan(0);
  });

  it('a damaged PDF is refused with a reason', async () => {
    const origin = await serve((_request, response) => response.end('%PDF-1.7\nnonsense'));
    await expect(call(local(), { url: origin })).rejects.toThrow('cannot be read');
  });

  it('respects the robots.txt of a site if it is told to', async () => {
    verifies('toolbox.web.robots');
    let loads = 0;
    const origin = await serve((request, response) => {
      if (request.url === '/robots.txt') loads += 1;
      response.end(request.url === '/robots.txt' ? 'User-agent: *\nDisallow: /private\n' : 'page');
    });
    const tool = local({ robots: true });
    expect((await call(tool, { url: `${origin}/public` })).forLLM).toContain('page');
    await expect(call(tool, { url: `${origin}/private/a` })).rejects.toThrow('robots.txt');
    expect((await call(local(), { url: `${origin}/private/a` })).forLLM).toContain('page');
    expect(loads).toBe(1);
    const failing = await serve((_request, response) => {
      response.statusCode = 500;
      response.end();
    });
    await expect(call(tool, { url: failing })).rejects.toThrow('robots.txt');
  });
});
