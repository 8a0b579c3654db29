import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { verifies } from '@kernel/testing';
import { describe, expect, test } from 'vitest';
import { serverOfEachTest, text } from './input.support.ts';

const { ask, replies, sent } = serverOfEachTest();

describe('-f', () => {
  test('sends a web page as Markdown; a private address only where it is written', async () => {
    verifies('cli.ask.fragments');
    const pages = createServer((request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' });
      response.end('<html><body><h1>Title</h1><p>Some <b>text</b>.</p></body></html>');
    });
    await new Promise<void>((resolve) => pages.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(pages.address() as AddressInfo).port}/page`;
    try {
      expect((await ask(['-f', url, 'what is it?'])).code).toBe(0);
      expect(sent()).toEqual([text(`<page name="${url}">\n# Title\n\nSome **text**.\n</page>`), text('what is it?')]);
    } finally {
      pages.close();
    }
  });
});

test('--max-time ends a run whose model does not answer', async () => {
  verifies('cli.limits');
  replies.push({ text: 'late', fault: { stallAfter: 0 } });
  const { code, stderr } = await ask(['--max-time', '300ms', 'x']);
  expect(code).toBe(5);
  expect(stderr).toContain('limit (time)');
});
