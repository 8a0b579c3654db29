import { startWireServer, verifies } from '@kernel/testing';
import { expect, onTestFinished, test } from 'vitest';
import { toPathSegment } from '../../src/config/base-url.ts';
import { createProvider } from '../../src/index.ts';

test('a model name never leaves its segment of the path', () => {
  verifies('providers.http.paths');
  for (const name of ['a/../b', '../..', 'a?b#c', 'a\\..\\b', '%2e%2e', '...', '.a']) {
    const path = `/model/${toPathSegment(name)}/converse`;
    expect(new URL(path, 'http://host').pathname.split('/')).toHaveLength(4);
  }
  for (const name of ['', '.', '..', '\uD800'])
    expect(() => toPathSegment(name)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
});

test.each(['../../v1/files', 'models/../../x', 'tunedModels/.'])(
  'Gemini refuses the model "%s" before anything is sent',
  async (model) => {
    verifies('providers.http.paths');
    const server = await startWireServer({ wire: 'gemini' });
    onTestFinished(() => server.close());
    const provider = createProvider({ name: 'gemini', token: 'key-of-a-test', baseUrl: server.url });
    const stream = provider.stream({ model, messages: [{ role: 'user', content: 'Hi.' }] });
    const next = stream[Symbol.asyncIterator]().next();
    await expect(next).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    expect(server.requests).toEqual([]);
  },
);
