import type { Message } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { createBodyBuffers } from '../../src/http/join-bytes.ts';
import { createChatEncoder } from '../../src/openai/encode.ts';
import { resolveChat } from '../../src/openai/config.ts';
import { endOf, request, withServer } from '../support.ts';

const LARGE = 70_000;
const say = (content: string): Message => Object.freeze({ role: 'user', content });

test('two large bodies take turns in the same memory once they are free; small ones are new each time', () => {
  const { join } = createBodyBuffers();
  const first = join(['a'.repeat(LARGE)]);
  const second = join([first.bytes, 'b']);
  first.free();
  second.free();
  const third = join([second.bytes, 'c']);
  expect(third.bytes.buffer).toBe(first.bytes.buffer);
  expect(String(third.bytes)).toBe(`${'a'.repeat(LARGE)}bc`);
  const small = join(['x']);
  small.free();
  expect(join(['y']).bytes.buffer === third.bytes.buffer).toBe(false);
});

test('a body in use is never overwritten, however requests overlap, fork, fail and grow', () => {
  let seed = 7;
  const below = (limit: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return seed % limit;
  };
  const encode = createChatEncoder(resolveChat({ name: 'openai' }));
  const fresh = (messages: readonly Message[]): string =>
    String(createChatEncoder(resolveChat({ name: 'openai' }))({ model: 'm', messages }).body);
  let histories: (readonly Message[])[] = [[say('1'.repeat(LARGE))], [say('2'.repeat(LARGE))]];
  const underWay: { readonly body: string | Uint8Array; readonly expected: string; readonly free: () => void }[] = [];
  for (let step = 0; step < 400; step += 1) {
    const at = below(histories.length);
    const grown = [...(histories[at] ?? []), say(`${step} ${'x'.repeat(below(9000))}`)];
    histories = grown.length > 12 ? [[say(`${step}`.repeat(LARGE))], ...histories.slice(1)] : histories.with(at, grown);
    if (below(5) === 0 && histories.length < 5) histories = [...histories, grown.slice(0, -1)];
    const { body, freeBody = () => undefined } = encode({ model: 'm', messages: grown });
    underWay.push({ body, expected: fresh(grown), free: freeBody });
    for (const one of underWay) expect(String(one.body) === one.expected).toBe(true);
    const ended = below(underWay.length + 1);
    // Some end well, some badly, some not for long.
    if (below(4) > 0) underWay[ended]?.free();
    underWay.splice(ended, 1);
    if (underWay.length > 6) underWay.shift();
  }
});

test('a long conversation over HTTP arrives whole each turn, and so do two at once', async () => {
  verifies('providers.fields');
  await withServer({ replies: () => ({ text: 'ok' }) }, async ({ provider, server }) => {
    const messages: Message[] = [say('é'.repeat(LARGE))];
    for (let turn = 0; turn < 12; turn += 1) {
      // oxlint-disable-next-line no-await-in-loop -- turns come one after another
      const ends = await Promise.all(
        [0, 1].map((fork) => endOf(provider.stream(request({ messages: [...messages, say(`fork ${fork}`)] })))),
      );
      messages.push(say(`turn ${turn}`), ...ends.slice(0, 1).map(({ message }) => message));
    }
    const said = server.requests.map(({ body }) => (body as { messages: { content: string }[] }).messages);
    expect(said).toHaveLength(24);
    for (const [at, list] of said.entries()) {
      expect(list[0]?.content).toBe('é'.repeat(LARGE));
      expect(list).toHaveLength(2 + Math.floor(at / 2) * 2);
    }
    const forks = said.map((list) => list.at(-1)?.content);
    for (const fork of ['fork 0', 'fork 1']) expect(forks.filter((content) => content === fork)).toHaveLength(12);
  });
});
