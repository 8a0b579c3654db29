import { toolCallsOf, textOf } from '@kernel/protocol';
import { type RawReply, type RecordedRequest, startWireServer, verifies, type WireServer } from '@kernel/testing';
import { describe, expect, test } from 'vitest';
import { createBatches } from '../../src/batches/index.ts';
import type { CustomProviderConfig } from '../../src/index.ts';
import { createProviders } from '../../src/index.ts';
import { all, endOf, errorOf, pause, request, until } from '../support.ts';
import { transport } from '../transport.ts';

const ID = 'resp_1';
const usage = { input_tokens: 3, output_tokens: 2 };
const message = (text: string) => ({
  type: 'message',
  id: 'm',
  role: 'assistant',
  content: [{ type: 'output_text', text, annotations: [] }],
});
const call = { type: 'function_call', id: 'f', call_id: 'c', name: 'add', arguments: '{"x":1}' };
const done = { id: ID, object: 'response', model: 'm', status: 'completed', output: [message('Hello ä'), call], usage };
const running = (status = 'in_progress') => ({ id: ID, object: 'response', model: 'm', status, output: [] });

/** The events of a reply in the background, numbered from 0. */
const EVENTS: readonly object[] = [
  { type: 'response.queued', response: running('queued') },
  { type: 'response.in_progress', response: running() },
  { type: 'response.output_item.added', output_index: 0, item: { ...message(''), content: [] } },
  ...['Hel', 'lo ', 'ä'].map((delta) => ({ type: 'response.output_text.delta', output_index: 0, delta })),
  { type: 'response.output_item.done', output_index: 0, item: message('Hello ä') },
  { type: 'response.output_item.added', output_index: 1, item: { ...call, arguments: '' } },
  ...['{"x"', ':1}'].map((delta) => ({ type: 'response.function_call_arguments.delta', output_index: 1, delta })),
  { type: 'response.output_item.done', output_index: 1, item: call },
  { type: 'response.completed', response: done },
];

const LINES = EVENTS.map((event, at) => `data: ${JSON.stringify({ ...event, sequence_number: at })}\n\n`);
const TEXT = LINES.join('');

function streamFrom(first: number, fault?: RawReply['fault']): RawReply {
  return { chunks: [LINES.slice(first).join('')], ...(fault === undefined ? {} : { fault }) };
}

function json(body: object, status = 200): RawReply {
  return { status, headers: { 'content-type': 'application/json' }, chunks: [JSON.stringify(body)] };
}

interface Setup {
  readonly server: WireServer;
  readonly stream: (more?: Parameters<typeof request>[0]) => ReturnType<ReturnType<typeof createProvider>['stream']>;
}

function createProvider(server: WireServer, config: Partial<CustomProviderConfig>) {
  const options = { background: true };
  return createProviders().create({
    name: 'openai-responses',
    baseUrl: server.baseUrl,
    token: 'sk-secret-key',
    options,
    ...transport,
    ...config,
  });
}

async function withVendor(
  answer: (request: RecordedRequest, at: number) => RawReply,
  work: (setup: Setup) => Promise<void>,
  config: Partial<CustomProviderConfig> = {},
): Promise<void> {
  const server = await startWireServer({ wire: 'openai-responses', replies: answer });
  try {
    const provider = createProvider(server, config);
    await work({ server, stream: (more) => provider.stream(request({ model: 'gpt-5', ...more })) });
  } finally {
    await server.close();
  }
}

const asked = ({ requests }: WireServer) =>
  requests.map(({ method, path }) => `${method} ${path.slice('/v1/'.length)}`);
const inOrder =
  (...replies: readonly RawReply[]) =>
  (_: RecordedRequest, at: number) =>
    replies[at] ?? json({}, 500);
const STALL: RawReply = { chunks: [], fault: { beforeHead: 'stall' } };

describe('a response in the background', () => {
  test('is stored, streamed, and read like any other', async () => {
    verifies('providers.background');
    await withVendor(inOrder(streamFrom(0)), async ({ server, stream }) => {
      const end = await endOf(stream());
      expect(textOf(end.message)).toBe('Hello ä');
      expect(server.requests[0]?.body).toMatchObject({ background: true, store: true, stream: true });
      expect(asked(server)).toEqual(['POST responses']);
    });
  });

  test('goes on after the last event that arrived, at whatever byte its stream was cut', async () => {
    verifies('providers.background.resume');
    const whole = TEXT.length;
    const first = LINES[0]?.length ?? 0;
    const offsets = Array.from({ length: 24 }, (_, at) => first + Math.floor(((whole - first - 60) * at) / 23));
    await Promise.all(
      offsets.flatMap((offset) =>
        (['cutAfter', 'resetAfter'] as const).map(async (fault) => {
          const answer = ({ method, path }: RecordedRequest): RawReply => {
            if (method === 'POST') return streamFrom(0, { [fault]: offset });
            const query = new URLSearchParams(path.split('?')[1]);
            expect(query.get('stream')).toBe('true');
            return streamFrom(Number(query.get('starting_after')) + 1);
          };
          await withVendor(answer, async ({ server, stream }) => {
            const events = await all(stream());
            const text = events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('');
            const end = events.at(-1);
            expect([fault, offset, text]).toEqual([fault, offset, 'Hello ä']);
            expect(end?.type === 'message-end' && toolCallsOf(end.message)[0]?.arguments).toBe('{"x":1}');
            expect(end).toMatchObject({ finishReason: 'tool-calls', usage: { inputTokens: 3 } });
            expect(asked(server).filter((each) => each.includes('cancel'))).toEqual([]);
          });
        }),
      ),
    );
  });

  test('leaves out what a server sends again', async () => {
    verifies('providers.background.resume');
    const cut = TEXT.indexOf('lo ') - 60;
    await withVendor(inOrder(streamFrom(0, { cutAfter: cut }), streamFrom(0)), async ({ stream }) => {
      expect(textOf((await endOf(stream())).message)).toBe('Hello ä');
    });
  });

  test.each([
    ['ends without anything new', streamFrom(EVENTS.length)],
    ['is not to be had again', json({ error: { message: 'not streamable' } }, 400)],
  ])('is asked for as a whole where its stream %s, and only the rest is emitted', async (_, second) => {
    verifies('providers.background.resume');
    // In the middle of the arguments.
    const cut = TEXT.indexOf(':1}"');
    await withVendor(inOrder(streamFrom(0, { cutAfter: cut }), second, json(done)), async ({ server, stream }) => {
      const events = await all(stream());
      const of = (type: 'text-delta' | 'tool-call-delta') =>
        events.map((e) => (e.type !== type ? '' : 'text' in e ? e.text : 'arguments' in e ? e.arguments : '')).join('');
      expect([of('text-delta'), of('tool-call-delta')]).toEqual(['Hello ä', '{"x":1}']);
      expect(asked(server)).toEqual([
        'POST responses',
        'GET responses/resp_1?stream=true&starting_after=8',
        'GET responses/resp_1',
      ]);
    });
  });

  test('in one piece is asked for until it is there', async () => {
    verifies('providers.background.poll');
    const replies = [json(running('queued')), json(running()), json({ error: { message: 'busy' } }, 503), json(done)];
    await withVendor(inOrder(...replies), async ({ server, stream }) => {
      const end = await endOf(stream({ stream: false }));
      expect([textOf(end.message), end.finishReason]).toEqual(['Hello ä', 'tool-calls']);
      expect(asked(server)).toEqual(['POST responses', ...Array(3).fill('GET responses/resp_1')]);
    });
  });

  test.each([
    ['failed', { error: { code: 'server_error', message: 'broke sk-secret-key' } }, 'PROVIDER_PROTOCOL', 'broke'],
    ['cancelled', {}, 'PROVIDER_PROTOCOL', 'cancelled'],
  ])('that %s is a typed error, and is not asked for again', async (status, more, code, words) => {
    verifies('providers.background.failure');
    const over = json({ ...running(status), ...more });
    await withVendor(inOrder(json(running('queued')), over), async ({ server, stream }) => {
      const error = await errorOf(stream({ stream: false }));
      expect([error.code, error.message.includes(words), error.message.includes('sk-secret')]).toEqual([
        code,
        true,
        false,
      ]);
      expect(asked(server)).toEqual(['POST responses', 'GET responses/resp_1']);
    });
  });

  test('that stopped by length or a filter ends so', async () => {
    verifies('providers.background.poll');
    const cut = { ...done, status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } };
    await withVendor(inOrder(json(running()), json(cut)), async ({ stream }) => {
      const end = await endOf(stream({ stream: false }));
      expect([end.finishReason, toolCallsOf(end.message)]).toEqual(['length', []]);
    });
  });

  test.each([404, 401, 403])(
    'that the vendor answers with %d is a typed error with the text so far',
    async (status) => {
      verifies('providers.background.failure');
      const cut = TEXT.indexOf('lo ') - 60;
      const gone = json({ error: { message: 'gone' } }, status);
      await withVendor(inOrder(streamFrom(0, { cutAfter: cut }), gone), async ({ server, stream }) => {
        const error = await errorOf(stream());
        expect(error).toMatchObject({ code: 'PROVIDER_HTTP', data: { status, partialText: 'Hel' } });
        expect(server.requests).toHaveLength(2);
      });
    },
  );

  test.each([
    ['leads elsewhere', '..'],
    ['leads to itself', '.'],
    ['is empty', ''],
    ['is very long', 'x'.repeat(2000)],
    ['is half a character', '\ud800'],
  ])('whose id %s is not asked for', async (_, id) => {
    verifies('providers.background.failure');
    await withVendor(inOrder(json({ ...running('queued'), id })), async ({ server, stream }) => {
      const error = await errorOf(stream({ stream: false }));
      expect([error.code, server.requests.length]).toEqual(['PROVIDER_PROTOCOL', 1]);
    });
  });

  test('has one total time, over all of its connections', async () => {
    verifies('providers.background.bounds');
    const answer = ({ path }: RecordedRequest) => (path.endsWith('/cancel') ? json({}) : json(running()));
    const work = async ({ server, stream }: Setup): Promise<void> => {
      const error = await errorOf(stream({ stream: false }));
      expect(error).toMatchObject({ code: 'PROVIDER_TIMEOUT', data: { timeout: 'totalMs' } });
      await until(() => asked(server).at(-1) === 'POST responses/resp_1/cancel', 60_000);
    };
    await withVendor(answer, work, { timeouts: { totalMs: 800 } });
  });

  test('a stream that falls silent is asked for again', async () => {
    verifies('providers.background.resume');
    const cut = TEXT.indexOf('lo ') - 60;
    const replies = inOrder(streamFrom(0, { stallAfter: cut }), streamFrom(4));
    const work = async ({ stream }: Setup): Promise<void> =>
      expect(textOf((await endOf(stream())).message)).toBe('Hello ä');
    await withVendor(replies, work, { timeouts: { idleMs: 100 } });
  });

  test('the bytes of all its streams are counted together', async () => {
    verifies('providers.background.bounds');
    let sent = 0;
    const answer = ({ path }: RecordedRequest): RawReply => {
      if (path.endsWith('/cancel')) return json({});
      const event = { type: 'response.output_text.delta', output_index: 0, delta: 'x'.repeat(900) };
      sent += 1;
      const first = sent === 1 ? [{ type: 'response.created', response: running() }] : [];
      const lines = [...first, event].map(
        (each) => `data: ${JSON.stringify({ ...each, sequence_number: sent * 2 })}\n\n`,
      );
      return { chunks: [lines.join('')] };
    };
    const work = async ({ server, stream }: Setup): Promise<void> => {
      expect(await errorOf(stream())).toMatchObject({ data: { option: 'limits.responseBytes' } });
      await until(() => asked(server).at(-1) === 'POST responses/resp_1/cancel', 60_000);
    };
    await withVendor(answer, work, { limits: { responseBytes: 2000 } });
  });
});

describe('an abort', () => {
  test.each([
    ['while it waits', json(running('queued')), json(running())],
    ['while it is asked for', json(running('queued')), STALL],
    ['within its stream', streamFrom(0, { stallAfter: 700 }), STALL],
  ])('%s rejects at once, and cancels at the vendor, which may never answer', async (_, first, second) => {
    verifies('providers.background.abort');
    const answer = ({ path }: RecordedRequest, at: number) =>
      path.endsWith('/cancel') ? STALL : at === 0 ? first : second;
    await withVendor(answer, async ({ server, stream }) => {
      const controller = new AbortController();
      const outcome = errorOf(stream({ stream: 'headers' in first ? false : undefined, signal: controller.signal }));
      await until(() => server.requests.length >= (second === STALL && 'headers' in first ? 2 : 1), 60_000);
      await pause(100);
      controller.abort(new Error('enough'));
      let isRejected = false;
      void outcome.then(() => (isRejected = true));
      await Promise.resolve().then(() => undefined);
      await new Promise((resolve) => setImmediate(resolve));
      expect(isRejected).toBe(true);
      expect(await outcome).toMatchObject({ message: 'enough' });
      await until(() => asked(server).at(-1) === 'POST responses/resp_1/cancel', 60_000);
      const sent = server.requests.length;
      await pause(700);
      expect(server.requests).toHaveLength(sent);
    });
  });

  test('that comes by leaving the loop cancels as well; after the end nothing is cancelled', async () => {
    verifies('providers.background.abort');
    const answer = ({ path }: RecordedRequest, at: number) =>
      path.endsWith('/cancel') ? json({}) : streamFrom(0, { stallAfter: at === 0 ? 700 : 100_000 });
    await withVendor(answer, async ({ server, stream }) => {
      for await (const event of stream()) if (event.type === 'text-delta') break;
      await until(() => asked(server).at(-1) === 'POST responses/resp_1/cancel', 60_000);
      expect(await endOf(stream())).toMatchObject({ finishReason: 'tool-calls' });
      await pause(200);
      expect(asked(server).filter((each) => each.includes('cancel'))).toHaveLength(1);
    });
  });
});

describe('options.background', () => {
  test.each([
    [{ background: true, store: false }, 'options.store'],
    [{ background: 'yes' }, 'options.background'],
  ])('%j is refused before anything is sent', async (options, words) => {
    verifies('providers.background.checked');
    await withVendor(inOrder(), async ({ server, stream }) => {
      const error = await errorOf(stream({ options }));
      expect([error.code, error.message.includes(words), server.requests.length]).toEqual(['CONFIG_INVALID', true, 0]);
    });
  });

  test('false or null changes nothing, and a batch refuses it', async () => {
    verifies('providers.background.checked');
    await withVendor(inOrder(streamFrom(0), streamFrom(0)), async ({ server, stream }) => {
      await endOf(stream({ options: { background: null } }));
      expect(server.requests[0]?.body).toMatchObject({ store: false });
      const batches = createBatches({ name: 'openai-responses', baseUrl: server.baseUrl, ...transport });
      const asking = {
        id: 'a',
        model: 'gpt-5',
        messages: [{ role: 'user', content: 'Hi' }],
        options: { background: true },
      };
      expect(await errorOf(batches.submit([asking as never]))).toMatchObject({ code: 'CONFIG_INVALID' });
    });
  });
});
