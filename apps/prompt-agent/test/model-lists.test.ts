import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { verifies } from '@kernel/testing';
import { expect, onTestFinished, test } from 'vitest';
import { fetchModelList } from '../src/model/fetch-model-list.ts';

/** Lists the models of a vendor whose pages are what `page` makes of the query and of how often was asked. */
async function listOf(provider: string, page: (query: URLSearchParams, count: number) => object) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    const body = page(new URL(request.url ?? '', 'http://127.0.0.1').searchParams, asked.length);
    response.writeHead('status' in body ? 500 : 200).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const warnings: string[] = [];
  const { signal } = new AbortController();
  const warn = (text: string): void => void warnings.push(text);
  const models = await fetchModelList({ provider, baseUrl: `http://127.0.0.1:${port}`, token: 'k', signal, warn });
  return { models, asked: asked.length, warnings };
}

test('models are listed from all pages of a vendor', async () => {
  verifies('cli.commands.models.pages');
  const claude = await listOf('anthropic', (query) =>
    query.get('after_id') === null
      ? { data: [{ id: 'b' }], has_more: true, last_id: null }
      : { data: [{ id: 'a' }], has_more: false, last_id: 'a' },
  );
  expect(claude).toEqual({ models: ['a', 'b'], asked: 2, warnings: [] });
  const gemini = await listOf('gemini', (query) =>
    query.get('pageToken') === 'two & three'
      ? { models: [{ name: 'models/a' }], nextPageToken: '' }
      : { models: [{ name: 'models/b' }], nextPageToken: 'two & three' },
  );
  expect(gemini).toEqual({ models: ['a', 'b'], asked: 2, warnings: [] });
});

test('a vendor does not decide when its list of models ends, and what was listed is used', async () => {
  verifies('cli.commands.models.pages');
  const same = await listOf('gemini', () => ({ models: [{ name: 'models/a' }], nextPageToken: 'again' }));
  expect(same).toEqual({ models: ['a'], asked: 2, warnings: ['the list of models does not end'] });
  const endless = await listOf('anthropic', (_, count) => ({
    data: [{ id: `m${count}` }],
    has_more: true,
    last_id: `m${count}`,
  }));
  expect([endless.asked, endless.models.length, endless.warnings.length]).toEqual([51, 51, 1]);
  const none = await listOf('gemini', () => ({ models: [{ name: 'models/a' }], nextPageToken: null }));
  expect(none).toEqual({ models: ['a'], asked: 1, warnings: [] });
});

test('a page that fails costs its models alone', async () => {
  verifies('cli.commands.models.pages');
  const broken = await listOf('gemini', (_, count) =>
    count === 1 ? { models: [{ name: 'models/a' }], nextPageToken: 'two' } : { status: 'bad' },
  );
  expect(broken.models).toEqual(['a']);
  expect(broken.warnings).toEqual(['the list of models broke off: the list of models was not given (status 500)']);
});
