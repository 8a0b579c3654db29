import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startWireServer, verifies, type WireReply, type WireServer } from '@kernel/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Outcome, promptHere, type Start } from './program.ts';

let server: WireServer;
/** What the server answers, one after the other; then always `ok`. */
let replies: WireReply[];
beforeEach(async () => {
  replies = [];
  server = await startWireServer({ replies: () => replies.shift() ?? { text: 'ok' } });
});
afterEach(() => server.close());

/** Asks the server and returns what the program did. */
function ask(args: readonly string[], start: Start = {}): Promise<Outcome> {
  return promptHere(['--base-url', server.baseUrl, '--model', 'm', ...args], start);
}

/** The messages of the last request. */
function messages(): readonly { readonly role: string; readonly content: unknown }[] {
  const { body } = server.requests.at(-1) ?? { body: { messages: [] } };
  return (body as { messages: ReturnType<typeof messages> }).messages;
}

/** The content of the user's message in the last request. */
function sent(): unknown {
  return messages().findLast(({ role }) => role === 'user')?.content;
}

/** The text of a part. */
const text = (content: string): object => ({ type: 'text', text: content });

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
