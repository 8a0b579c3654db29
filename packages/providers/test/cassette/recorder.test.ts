import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KernelError, type ProviderEvent } from '@kernel/protocol';
import { scriptedProvider, verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { type CassetteEntry, readCassette, replay, withRecorder } from '../../src/cassette/index.ts';
import { all, endOf, errorOf, request, withServer } from '../support.ts';

const SECRET = 'my-very-own-secret-1';
const audio = { data: new Uint8Array([1, 2, 3]), mimeType: 'audio/wav', name: 'a.wav' };

async function withFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'cassette-'));
  try {
    await work(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

test('what was recorded in a file is replayed event by event: streams, errors, vectors and transcripts', async () => {
  await withFolder(async (folder) => {
    const path = join(folder, 'new', 'tape.json');
    const busy = new KernelError('PROVIDER_HTTP', 'busy', { retryable: true, hint: 'wait', data: { status: 503 } });
    const half: ProviderEvent = { type: 'text-delta', text: 'half' };
    const live = withRecorder(
      scriptedProvider([
        { text: 'Grüße', pieces: 2, calls: [{ name: 'f', id: 'c1', arguments: { a: 1 } }] },
        { error: busy, after: [half] },
        { embeddings: [[1, 2]] },
        { transcript: 'hi' },
      ]),
      path,
    );
    const events = await all(live.stream(request()));
    await errorOf(live.stream(request()));
    const vectors = await live.embed?.({ model: 'm', input: ['a'] });
    const text = await live.transcribe?.({ model: 'm', audio });

    const provider = replay(await readCassette(path));
    expect(await all(provider.stream(request()))).toEqual(events);
    const seen: ProviderEvent[] = [];
    await expect(async () => {
      for await (const event of provider.stream(request())) seen.push(event);
    }).rejects.toMatchObject(busy.toJSON());
    expect(seen).toEqual([half]);
    expect(await provider.embed?.({ model: 'm', input: ['a'] })).toEqual(vectors);
    expect(await provider.transcribe?.({ model: 'm', audio })).toEqual(text);
    const written = await readFile(path, 'utf8');
    expect(written.split('\n').length).toBeGreaterThan(30);
  });
});

test('the order of keys, a signal and undefined members make no difference to a match', async () => {
  const entries: CassetteEntry[] = [];
  const live = withRecorder(scriptedProvider([{ text: 'x' }]), (entry) => void entries.push(entry));
  await endOf(live.stream(request({ options: { a: 1, b: { c: 2, d: 3 } } })));
  const { messages, model } = request();
  const provider = replay({ version: 1, entries });
  const turned = { options: { b: { d: 3, c: 2 }, a: 1 }, tools: undefined, messages, model };
  const end = await endOf(provider.stream({ ...turned, signal: new AbortController().signal }));
  expect(end.finishReason).toBe('stop');
});

test('a request that was not recorded throws PROVIDER_PROTOCOL with the nearest entry and where it differs', async () => {
  const entries: CassetteEntry[] = [];
  const live = withRecorder(scriptedProvider([{ text: 'a' }, { text: 'b' }]), (entry) => void entries.push(entry));
  await endOf(live.stream(request({ model: 'far', messages: [{ role: 'user', content: 'Other' }] })));
  await endOf(live.stream(request()));
  const provider = replay({ version: 1, entries });
  const error = await errorOf(provider.stream(request({ messages: [{ role: 'user', content: 'Hallo' }] })));
  expect(error).toMatchObject({
    code: 'PROVIDER_PROTOCOL',
    message:
      'No recorded stream matches this request. Entry 1 differs at /messages/0/content (recorded "Hello", requested "Hallo").',
    data: { nearest: 1, differences: [{ path: '/messages/0/content', recorded: '"Hello"', requested: '"Hallo"' }] },
  });
});

test('an equal request is answered as often as it was recorded, in that order, and then says so', async () => {
  const entries: CassetteEntry[] = [];
  const live = withRecorder(scriptedProvider([{ text: 'one' }, { text: 'two' }]), (entry) => void entries.push(entry));
  await endOf(live.stream(request()));
  await endOf(live.stream(request()));
  const provider = replay({ version: 1, entries });
  expect(await endOf(provider.stream(request()))).toMatchObject({ message: { content: [{ text: 'one' }] } });
  expect(await endOf(provider.stream(request()))).toMatchObject({ message: { content: [{ text: 'two' }] } });
  expect((await errorOf(provider.stream(request()))).message).toContain('requested more often than it was recorded');
  expect((await errorOf(replay({ version: 1, entries: [] }).stream(request()))).message).toContain('no stream entry');
});

test('no secret reaches a cassette: configured ones split across deltas, well-known keys, named members, in requests, events and errors', async () => {
  verifies('providers.auth.secret');
  const usual = ['sk-abcdefghijklmnopqrstuvwx', 'AIzaSyA1234567890abcdefghijklmnopqrstuv', 'AKIAABCDEFGHIJKLMNOP'];
  const entries: CassetteEntry[] = [];
  const live = withRecorder(
    scriptedProvider([
      {
        chunks: ['the key is my-very-', 'own-sec', 'ret-1, and ', ...usual],
        calls: [{ name: 'f', arguments: { key: SECRET, password: 'hunter22' } }],
      },
      { error: new KernelError('PROVIDER_HTTP', `401: Bearer ${SECRET}`, { data: { body: SECRET, token: 'abcd' } }) },
    ]),
    (entry) => void entries.push(entry),
    { secrets: [SECRET] },
  );
  const content = `Authorization: "Bearer abcdefghijklm" and ${usual.join(' ')} and ${SECRET}`;
  const asked = request({
    messages: [{ role: 'user', content }],
    options: { api_key: 'plain-one', headers: { 'X-Api-Key': 'other-one' } },
  });
  const events = await all(live.stream(asked));
  await errorOf(live.stream(asked));
  const written = JSON.stringify(entries);
  for (const secret of [SECRET, ...usual, 'hunter22', 'plain-one', 'other-one', 'abcdefghijklm', 'own-sec', 'abcd"']) {
    expect(written).not.toContain(secret);
  }
  // What the reader gets is unchanged.
  expect(JSON.stringify(events)).toContain('own-sec');
  const replayed = replay({ version: 1, entries }, { secrets: [SECRET] });
  expect(await endOf(replayed.stream(asked))).toMatchObject({ type: 'message-end' });
});

test('words that only look like secrets stay: maxTokens, usage, a schema with a password', async () => {
  const entries: CassetteEntry[] = [];
  const live = withRecorder(
    scriptedProvider([{ text: 'a token of love', usage: { inputTokens: 1, outputTokens: 2 } }]),
    (entry) => void entries.push(entry),
  );
  const parameters = { type: 'object', properties: { password: { type: 'string' }, token: { type: 'string' } } };
  const asked = request({ tools: [{ name: 'f', description: 'd', parameters }], options: { maxTokens: 5 } });
  const events = await all(live.stream(asked));
  expect(entries[0]?.request).toMatchObject({ options: { maxTokens: 5 }, tools: [{ parameters }] });
  expect(entries[0]?.events).toEqual(events);
});

test('over HTTP a key that the server echoes stays out of the cassette', async () => {
  verifies('providers.auth.secret');
  const echo = { status: 401, chunks: [JSON.stringify({ error: { message: `Bad key ${SECRET}` } })] };
  await withServer(
    [echo, { text: `your key is ${SECRET}`, pieces: 9 }],
    async ({ provider }) => {
      const entries: CassetteEntry[] = [];
      const live = withRecorder(provider, (entry) => void entries.push(entry), { secrets: [SECRET] });
      await errorOf(live.stream(request()));
      await endOf(live.stream(request()));
      expect(entries).toHaveLength(2);
      expect(JSON.stringify(entries)).not.toContain('secret-1');
    },
    { token: SECRET },
  );
});

test('an exchange that was aborted, or whose consumer returned early, is not recorded', async () => {
  const entries: CassetteEntry[] = [];
  const live = withRecorder(
    scriptedProvider([
      { text: 'abc', pieces: 3 },
      { text: 'abc', pieces: 3 },
    ]),
    (entry) => void entries.push(entry),
  );
  for await (const _ of live.stream(request())) break;
  const abort = new AbortController();
  await expect(async () => {
    for await (const _ of live.stream(request({ signal: abort.signal }))) abort.abort(new Error('stop'));
  }).rejects.toThrow('stop');
  expect(entries).toEqual([]);
});

test('a file that cannot be written is an error for the consumer, before it gets the end', async () => {
  await withFolder(async (folder) => {
    await writeFile(join(folder, 'file'), '');
    const live = withRecorder(scriptedProvider([{ text: 'x' }]), join(folder, 'file', 'tape.json'));
    await expect(all(live.stream(request()))).rejects.toThrow(/ENOTDIR|EEXIST/);
  });
});

test('a file that is not a cassette throws CONFIG_INVALID with its name', async () => {
  await withFolder(async (folder) => {
    const path = join(folder, 'x.json');
    await expect(readCassette(path)).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    for (const text of ['{', '[]', '{"version":2,"entries":[]}', '{"version":1,"entries":[{"kind":"stream"}]}']) {
      await writeFile(path, text);
      await expect(readCassette(path)).rejects.toMatchObject({
        code: 'CONFIG_INVALID',
        message: expect.stringContaining('x.json') as unknown,
      });
    }
  });
});

test('a file that an editor gave a byte order mark is replayed as it is', async () => {
  verifies('tools.stores.mark');
  await withFolder(async (folder) => {
    const path = join(folder, 'tape.json');
    await writeFile(path, '\uFEFF{"version":1,"entries":[]}');
    expect(await readCassette(path)).toEqual({ version: 1, entries: [] });
  });
});
