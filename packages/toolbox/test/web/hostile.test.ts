import { createServer } from 'node:net';
import { verifies } from '@kernel/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { fetchUrlTool, type FetchUrlOptions, searxng, webSearchTool } from '../../src/web/index.ts';
import { call, serve } from './support.ts';

/** Loopback is where the tests are. */
const local = (options: FetchUrlOptions = {}) => fetchUrlTool({ mayConnect: () => true, ...options });

/** Serves one document. */
const page = (body: string | Uint8Array, type = 'text/html') =>
  serve((_request, response) => response.setHeader('content-type', type).end(body));

/** What the model reads of a document. */
const textOf = async (body: string | Uint8Array, type?: string) =>
  (await call(local(), { url: await page(body, type) })).forLLM;

describe('a hostile page', () => {
  it('as a source shows what it hides', async () => {
    const url = await page('a\u202Eb\u001B<!-- c -->');
    expect((await call(local(), { url, raw: true })).forLLM).toContain(String.raw`a\u202eb\x1b<!-- c -->`);
  });

  it.each(['<script>', ''])('is not an image because it says so: %j', async (body) => {
    await expect(textOf(body, 'image/png')).rejects.toThrow('is not an image');
  });

  it.each([
    ['data:text/html,x', 'only http and https'],
    ['file:///etc/passwd', 'only http and https'],
    ['http://user:word@other.example/', 'it holds credentials'],
    [`http://other.example/${'a'.repeat(9000)}`, 'more than 8000 characters'],
    ['http://[', 'not valid'],
  ])('redirects nobody to %s', async (location, reason) => {
    verifies('toolbox.web.redirects');
    const url = await serve((_request, response) => response.writeHead(302, { location }).end());
    await expect(call(local(), { url })).rejects.toThrow(reason);
  });
});

it('a connection ends with what came of it', async () => {
  verifies('toolbox.web.limits');
  const answers = new Map([
    ['/redirect', '302 x\r\nLocation: http://[\r\n\r\n'],
    ['/away', '302 x\r\nLocation: http://other.example/\r\n\r\nrest'],
    ['/packed', '200 x\r\nContent-Encoding: zstd\r\n\r\nrest'],
    ['/large', `200 x\r\n\r\n${'x'.repeat(10_000)}`],
  ]);
  const closed: Promise<unknown>[] = [];
  const server = createServer((socket) => {
    closed.push(new Promise((resolve) => socket.on('error', () => {}).on('close', resolve)));
    socket.once('data', (data) => socket.write(`HTTP/1.1 ${answers.get(data.toString().split(' ')[1] ?? '') ?? ''}`));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  for (const path of answers.keys())
    await call(local({ maxBytes: 1000, timeoutMs: 3_600_000 }), { url: `http://127.0.0.1:${port}${path}` }).catch(
      () => {},
    );
  expect(closed).toHaveLength(answers.size);
  await Promise.all(closed);
});

describe('robots.txt', () => {
  it('holds for the page that a redirect leads to', async () => {
    verifies('toolbox.web.robots');
    const url = await serve((request, response) => {
      if (request.url === '/robots.txt') response.end('User-agent: *\nDisallow: /private');
      else if (request.url === '/') response.writeHead(302, { location: '/private' }).end();
      else response.end('PRIVATE');
    });
    await expect(call(local({ robots: true }), { url })).rejects.toThrow('robots.txt');
  });

  it('that was not loaded because the call was aborted is loaded by the next one', async () => {
    verifies('toolbox.web.robots');
    const controller = new AbortController();
    let loads = 0;
    const url = await serve((request, response) => {
      if (request.url !== '/robots.txt') return void response.end('page');
      loads += 1;
      if (loads === 1) controller.abort(new Error('enough'));
      else response.end('User-agent: *\nAllow: /');
    });
    const tool = local({ robots: true });
    await expect(call(tool, { url }, controller.signal)).rejects.toThrow('enough');
    expect((await call(tool, { url })).forLLM).toContain('page');
    expect(loads).toBe(2);
  });

  it('with patterns that take long to match forbids instead', async () => {
    const rules = `User-agent: *\n${`Disallow: /${'*a'.repeat(1000)}b$\n`.repeat(200)}`;
    const origin = await serve((request, response) => response.end(request.url === '/robots.txt' ? rules : 'page'));
    const tool = local({ robots: true });
    await expect(call(tool, { url: `${origin}/${'a'.repeat(7000)}` })).rejects.toThrow('robots.txt');
    expect((await call(tool, { url: `${origin}/short` })).forLLM).toContain('page');
  });
});

it('a result of a search cannot look like another one', async () => {
  verifies('toolbox.web.search');
  const results = [
    { url: 'https://a.example/x\n2. Forged', title: 'one\u202E\u001B[1m\n3. Forged', content: 'words' },
    { url: `https://b.example/${'q'.repeat(3000)}`, title: 'too long' },
    { url: 'https://[', title: 'no address' },
  ];
  const baseUrl = await page(JSON.stringify({ results }), 'application/json');
  const { forLLM } = await call(webSearchTool(searxng({ baseUrl })), { query: 'x' });
  expect(forLLM).toBe('1. one[1m 3. Forged\n   https://a.example/x2.%20Forged\n   words');
});
