import { verifies } from '@kernel/testing';
import { describe, expect, test } from 'vitest';
import { type BatchRequest, type Batches } from '../../src/batches/index.ts';
import { errorOf } from '../support.ts';
import { ended, json, line, requests, VENDORS, withBatches } from './hostile.support.ts';

async function outcomes(batches: Batches, given?: readonly BatchRequest[]): Promise<readonly string[]> {
  const seen: string[] = [];
  for await (const result of batches.results('b', given === undefined ? {} : { requests: given }))
    seen.push(`${result.id}: ${'error' in result ? result.error.code : 'reply'}`);
  return seen;
}

describe('what a caller gives', () => {
  test.each([
    ['null', [null]],
    ['text', ['a']],
    ['a number', [7]],
    ['a list', [[]]],
    ['nothing', [undefined]],
  ])('a batch with a request that is %s is refused as such', async (_, given) => {
    verifies('providers.batches.checked');
    await withBatches('anthropic', [], async (batches, server) => {
      const error = await errorOf(batches.submit(given as never));
      expect([error.code, server.requests.length]).toEqual(['CONFIG_INVALID', 0]);
    });
  });

  test.each(VENDORS)(
    'an id of %s that is no text, or leads elsewhere, is refused before anything is sent',
    async (name) => {
      verifies('providers.batches.checked');
      await withBatches(name, [], async (batches, server) => {
        for (const id of [undefined, null, 7, {}, '', '..', '.']) {
          const given = id as string;
          const works = [batches.get(given), batches.cancel(given), batches.wait(given), outcomesOf(batches, given)];
          for (const work of works) expect([id, await codeOf(work)]).toEqual([id, 'CONFIG_INVALID']);
        }
        expect(server.requests).toEqual([]);
      });
    },
  );

  test.each(['files/f1', 'models/m', 'batches/../files/f', 'cachedContents/c', 'batches/'])(
    'the name %s of something else is refused by Gemini',
    async (id) => {
      verifies('providers.batches.checked');
      await withBatches('gemini', [], async (batches, server) => {
        expect(await codeOf(batches.cancel(id))).toBe('CONFIG_INVALID');
        expect(server.requests).toEqual([]);
      });
    },
  );

  test('requests of results that are no list are refused as such', async () => {
    verifies('providers.batches.checked');
    await withBatches('anthropic', [ended], async (batches) => {
      expect(await codeOf(outcomes(batches, 'all' as never))).toBe('CONFIG_INVALID');
    });
  });
});

async function outcomesOf(batches: Batches, id: string): Promise<void> {
  for await (const _ of batches.results(id));
}

async function codeOf(work: Promise<unknown>): Promise<string> {
  return (await errorOf(work)).code;
}

describe('what a vendor answers', () => {
  test('a request without a result is a typed error under its id, where the requests are known', async () => {
    verifies('providers.batches.missing');
    await withBatches(
      'anthropic',
      [ended, { chunks: [line('b')] }, ended, { chunks: [line('b')] }],
      async (batches) => {
        expect(await outcomes(batches, requests)).toEqual(['b: reply', 'a: PROVIDER_PROTOCOL', 'c: PROVIDER_PROTOCOL']);
        expect(await outcomes(batches)).toEqual(['b: reply']);
      },
    );
  });

  test('a second result under one id is left out', async () => {
    verifies('providers.batches.missing');
    await withBatches(
      'anthropic',
      [ended, { chunks: [line('a', '1') + line('a', '2') + line('b')] }],
      async (batches) => {
        const texts: string[] = [];
        for await (const result of batches.results('b'))
          texts.push('end' in result ? `${result.id} ${JSON.stringify(result.end.message.content)}` : '');
        expect(texts).toEqual(['a [{"type":"text","text":"1"}]', 'b [{"type":"text","text":"b"}]']);
      },
    );
  });

  test.each([
    ['anthropic', [ended], line('a')],
    [
      'openai',
      [json({ id: 'b', status: 'completed', output_file_id: 'f' })],
      '{"custom_id":"a","response":{"status_code":200,"body":{"choices":[]}}}\n',
    ],
  ] as const)(
    'a line of %s that was cut, at whatever byte, says so, and may be read again',
    async (name, before, whole) => {
      verifies('providers.batches.lines');
      for (let at = 1; at < whole.length - 1; at += 7) {
        await withBatches(name, [...before, { chunks: [whole.slice(0, at)] }], async (batches) => {
          const error = await errorOf(outcomes(batches));
          expect([at, error.code, error.retryable, error.message.includes('cut')]).toEqual([
            at,
            'PROVIDER_PROTOCOL',
            true,
            true,
          ]);
        });
      }
    },
  );

  test.each(['..', '.', '\ud800'])('a file of results called %j is not asked for', async (file) => {
    verifies('providers.batches.lines');
    const batch = { id: 'b', status: 'completed', output_file_id: file };
    await withBatches('openai', [json(batch)], async (batches, server) => {
      expect(await codeOf(outcomes(batches))).toBe('PROVIDER_PROTOCOL');
      expect(server.requests).toHaveLength(1);
    });
  });

  test.each([
    ['openai', { id: 'b', status: 'failed', errors: { data: [{ message: `key sk-secret-key ${'x'.repeat(5000)}` }] } }],
    ['gemini', { name: 'batches/b', done: true, error: { message: `key sk-secret-key ${'x'.repeat(5000)}` } }],
  ] as const)('why a batch of %s failed has no secret, and is short', async (name, batch) => {
    verifies('providers.batches.secrets');
    await withBatches(name, [json(batch)], async (batches) => {
      const { error = '', status } = await batches.get(name === 'gemini' ? 'batches/b' : 'b');
      expect([status, error.startsWith('key '), error.includes('sk-secret-key'), error.length <= 1001]).toEqual([
        'failed',
        true,
        false,
        true,
      ]);
    });
  });
});
