import { verifies } from '@kernel/testing';
import { describe, expect, it } from 'vitest';
import { fetchUrlTool, type FetchUrlOptions } from '../../src/web/index.ts';
import { call, serve } from './support.ts';

/** Loopback is where the tests are. */
const local = (options: FetchUrlOptions = {}) => fetchUrlTool({ mayConnect: () => true, ...options });

const PAGE = `<!doctype html><html><head><title> A  page </title><style>p{}</style><script>evil()</script></head>
<body><nav>menu</nav><main><h1>Heading</h1><p>Some <b>bold</b> &amp; <a href="/other?a=1">link</a>
<a href="javascript:evil()">bad</a></p><ul><li>one<li>two</ul><pre><code class="language-ts">let a = 1;</code></pre>
<table><tr><th>Name<th>Value<tr><td>a|b<td>1</table><img src="x.png" alt="picture"><template>hidden</template></main></body></html>`;

/** A PDF of one page with a text. */
function pdf(text: string): Buffer {
  const stream = `BT /F1 24 Tf 72 720 Td (${text}) Tj ET`;
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ];
  let body = '%PDF-1.4\n';
  const offsets = objects.map((object, index) => {
    const at = body.length;
    body += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return at;
  });
  const table = offsets.map((at) => `${String(at).padStart(10, '0')} 00000 n \n`).join('');
  const xref = `xref\n0 6\n0000000000 65535 f \n${table}trailer << /Size 6 /Root 1 0 R >>\nstartxref\n${body.length}\n%%EOF`;
  return Buffer.from(body + xref, 'latin1');
}

describe('fetch_url', () => {
  it('returns a web page as Markdown, with absolute links and without scripts', async () => {
    verifies('toolbox.web.fetch');
    const origin = await serve((_request, response) => response.setHeader('content-type', 'text/html').end(PAGE));
    const { forLLM, data } = await call(local(), { url: `${origin}/a/b` });
    expect(forLLM).toContain('Title: A page\n');
    expect(forLLM).toContain('# Heading');
    expect(forLLM).toContain(`Some **bold** & [link](${origin}/other?a=1)`);
    expect(forLLM).toContain('- one\n- two'.replaceAll('- ', '-   '));
    expect(forLLM).toContain('```ts\nlet a = 1;\n```');
    expect(forLLM).toContain('| Name | Value |\n| --- | --- |\n| a\\|b | 1 |');
    expect(forLLM).toContain(`![picture](${origin}/a/x.png)`);
    for (const gone of ['evil', 'menu', 'hidden', 'p{}']) expect(forLLM).not.toContain(gone);
    expect(data).toMatchObject({ url: `${origin}/a/b`, title: 'A page' });
  });

  it('returns the text of a PDF by its pages', async () => {
    const origin = await serve((_request, response) => response.end(pdf('Hello PDF')));
    expect((await call(local(), { url: origin })).forLLM).toContain('[page 1]\nHello PDF');
  });

  it.each([
    ['text/plain; charset=iso-8859-1', Buffer.from('gr\u00fc\u00df', 'latin1'), 'grüß'],
    ['application/json', Buffer.from('{"a":1}'), '{"a":1}'],
    ['application/problem+json', Buffer.from('{"a":2}'), '{"a":2}'],
    ['', Buffer.from('plain'), 'plain'],
    ['text/html', Buffer.from('<meta charset="windows-1252"><p>\u0080</p>', 'latin1'), '€'],
    ['text/plain; charset=no-such', Buffer.from('ü'), 'ü'],
  ])('returns %j as it is', async (type, body, text) => {
    const origin = await serve((_request, response) => response.setHeader('content-type', type).end(body));
    expect((await call(local(), { url: origin })).forLLM).toContain(text);
  });

  const hello = Buffer.from([0xc4, 0xe3, 0xba, 0xc3]);
  it.each([
    ['an XML declaration', 'application/rss+xml', '<?xml version="1.0" encoding="GBK"?><t>', '你好', ''],
    ['a meta element far below', 'text/html', `<head>${'<link>'.repeat(500)}<meta charset=gbk></head><p>`, '你好', ''],
    [
      'another label than the wrong one of its header',
      'text/html; charset=none',
      '<meta charset="gbk"><p>',
      '你好',
      '',
    ],
    ['nothing', 'text/plain', '', 'Äãº', 'Encoding: it names none and was read as windows-1252'],
    ['a label that does not fit', 'text/plain; charset=utf-8', '', '\uFFFD', 'cannot be read as utf-8 and are U+FFFD'],
  ])('reads a text whose encoding is named by %s, or says what cannot be read', async (_, type, head, text, note) => {
    verifies('toolbox.web.fetch');
    const body = Buffer.concat([Buffer.from(head), hello]);
    const origin = await serve((_request, response) => response.setHeader('content-type', type).end(body));
    const { forLLM } = await call(local(), { url: origin });
    expect(forLLM).toContain(text);
    expect(forLLM).toContain(note);
    expect(forLLM.includes('Encoding: ')).toBe(note !== '');
  });

  it('reads UTF-16 without a mark', async () => {
    const origin = await serve((_request, response) => {
      response.setHeader('content-type', 'text/plain').end(Buffer.from('plain text', 'utf16le'));
    });
    expect((await call(local(), { url: origin })).forLLM).toContain('plain text');
  });

  it('says why a page is empty, and goes where it leads by itself', async () => {
    verifies('toolbox.web.fetch');
    const pages: Readonly<Record<string, string>> = {
      '/app': '<body><div id="root"></div><script src="/a.js"></script></body>',
      '/loading': '<body>Loading…<script src="/a.js"></script></body>',
      '/spare': '<body><noscript><p>Read <a href="/feed">the feed</a>.</p></noscript><script></script></body>',
      '/frames': '<frameset><frame src="/left"><frame src="/right"></frameset>',
      '/moved': '<head><meta http-equiv="Refresh" content="0; URL=\'/home\'"></head><body></body>',
      '/away': '<head><meta http-equiv="refresh" content="0;url=http://other.example/"></head>',
      '/circle': '<head><meta http-equiv="refresh" content="0;url=/circle?again"></head>',
      '/home': '<p>At home.</p>',
    };
    const origin = await serve(({ url = '' }, response) => {
      response.setHeader('content-type', 'text/html').end(pages[url.split('?', 1)[0] ?? ''] ?? '');
    });
    const read = async (path: string) => (await call(local(), { url: origin + path })).forLLM;
    expect(await read('/app')).toContain('Scripts: they make this page');
    expect(await read('/loading')).toMatch(/Scripts: they may make more of this page[^]*Loading/);
    expect(await read('/spare')).toContain(`[the feed](${origin}/feed)`);
    expect(await read('/frames')).toContain(`Frames: ${origin}/left ${origin}/right`);
    expect(await read('/moved')).toBe(`Address: ${origin}/home\n\nAt home.`);
    expect(await read('/away')).toContain('It redirects to another host: http://other.example/');
    expect(await read('/circle')).toContain('(nothing)');
    expect(await read('/home')).toBe(`Address: ${origin}/home\n\nAt home.`);
  });

  it('ends when a server hangs, drips, breaks off or is aborted', async () => {
    verifies('toolbox.web.limits');
    const origin = await serve((request, response) => {
      if (request.url === '/break') {
        response.writeHead(200, { 'content-length': '100' });
        response.write('x', () => response.destroy());
      } else if (request.url === '/drip') {
        response.writeHead(200);
        const timer = setInterval(() => response.write('x'), 5);
        response.on('close', () => clearInterval(timer));
      }
    });
    const tool = local({ timeoutMs: 300 });
    await expect(call(tool, { url: `${origin}/hang` })).rejects.toThrow('it took longer than 300 ms');
    await expect(call(tool, { url: `${origin}/drip` })).rejects.toThrow('it took longer than 300 ms');
    await expect(call(local(), { url: `${origin}/break` })).rejects.toThrow('was not loaded');
    const controller = new AbortController();
    const aborted = call(local(), { url: `${origin}/hang` }, controller.signal);
    controller.abort(new Error('enough'));
    await expect(aborted).rejects.toThrow('enough');
  });

  it('a page that takes its reader for ever, or all memory, ends at the limit and blocks nothing', async () => {
    verifies('toolbox.web.hostile');
    const origin = await serve((_request, response) => {
      response.setHeader('content-type', 'text/html').end(`${'<div><b>'.repeat(300_000)}x`);
    });
    let ticks = 0;
    const timer = setInterval(() => (ticks += 1), 20);
    await expect(call(local({ timeoutMs: 1500 }), { url: origin })).rejects.toThrow('cannot be read');
    clearInterval(timer);
    expect(ticks).toBeGreaterThan(2);
    expect((await call(local(), { url: origin, raw: true })).forLLM).toContain('<div><b>');
  });
});
