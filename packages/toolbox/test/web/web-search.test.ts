import { verifies } from '@kernel/testing';
import { describe, expect, it } from 'vitest';
import { braveSearch, fakeSearch, searxng, webSearchTool } from '../../src/web/index.ts';
import { call, serve } from './support.ts';

const hit = { url: 'https://example.com/a', title: 'A page', content: 'about\n  A', description: 'about\n  A' };

describe('web_search', () => {
  it('asks SearXNG, below any path', async () => {
    verifies('toolbox.web.search');
    let asked = '';
    const origin = await serve((request, response) => {
      asked = request.url ?? '';
      response.end(JSON.stringify({ results: [hit, { url: 'javascript:x', title: 'bad' }, null, 1] }));
    });
    const { forLLM, data } = await call(webSearchTool(searxng({ baseUrl: `${origin}/searx/`, language: 'en' })), {
      query: 'a b&c',
    });
    expect(asked).toBe('/searx/search?q=a+b%26c&format=json&language=en');
    expect(forLLM).toBe('1. A page\n   https://example.com/a\n   about A');
    expect(data).toEqual({ results: [{ url: hit.url, title: 'A page', snippet: 'about A' }] });
  });

  it('asks Brave with its token, which no message shows', async () => {
    let token: unknown;
    const origin = await serve((request, response) => {
      token = request.headers['x-subscription-token'];
      response.statusCode = request.url?.includes('fail') === true ? 401 : 200;
      response.end(JSON.stringify({ web: { results: [hit, hit, hit] } }));
    });
    const tool = webSearchTool(braveSearch({ token: 'the-token-of-brave', baseUrl: origin }));
    expect((await call(tool, { query: 'a', count: 2 })).data).toMatchObject({ results: { length: 2 } });
    expect(token).toBe('the-token-of-brave');
    const error: unknown = await call(tool, { query: 'fail' }).catch((reason: unknown) => reason);
    expect(String(error)).toContain('it answered 401, so its key is wrong');
    expect(JSON.stringify(error)).not.toContain('the-token');
    expect(() => braveSearch({ token: '' })).toThrow('needs a token');
  });

  it.each([
    ['not JSON', 'its answer is not valid JSON'],
    ['[]', 'without a list of results'],
    ['{"results":{"a":1}}', 'without a list of results'],
    [' '.repeat(5_000_000), 'larger than 4000000 bytes'],
  ])('an answer such as %.20j is a failed search', async (body, reason) => {
    const origin = await serve((_request, response) => response.end(body));
    await expect(call(webSearchTool(searxng({ baseUrl: origin })), { query: 'a' })).rejects.toThrow(reason);
  });

  it('says that nothing was found, and that an engine cannot be reached', async () => {
    const engine = fakeSearch([{ url: 'https://example.com', title: 'Tea', snippet: 'green' }]);
    expect((await call(webSearchTool(engine), { query: 'coffee' })).forLLM).toBe('Nothing was found for "coffee".');
    expect((await call(webSearchTool(engine), { query: 'green tea' })).forLLM).toContain('1. Tea');
    expect(engine.queries).toEqual([
      { query: 'coffee', count: 8 },
      { query: 'green tea', count: 8 },
    ]);
    await expect(call(webSearchTool(searxng({ baseUrl: 'http://127.0.0.1:1' })), { query: 'a' })).rejects.toThrow(
      'cannot be reached',
    );
  });

  it('ends on an abort', async () => {
    const origin = await serve(() => undefined);
    const controller = new AbortController();
    const search = call(webSearchTool(searxng({ baseUrl: origin })), { query: 'a' }, controller.signal);
    controller.abort(new Error('enough'));
    await expect(search).rejects.toThrow('enough');
  });
});
