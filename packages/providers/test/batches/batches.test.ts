/* oxlint-disable no-await-in-loop -- one after another */
import type { KernelError, MessageEnd, Tool } from '@kernel/protocol';
import { textOf, toolCallsOf } from '@kernel/protocol';
import { type RawReply, type RecordedRequest, startWireServer, verifies, type WireServer } from '@kernel/testing';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { type Batch, type BatchConfig, type BatchRequest, createBatches } from '../../src/batches/index.ts';
import { history } from '../history.ts';
import { errorOf, until } from '../support.ts';
import { transport } from '../transport.ts';
import { claude, claudeMessage, ended, line, reply, withResults } from './batches.support.ts';

const TOOL: Tool = Object.freeze({
  name: 'add numbers',
  description: 'Adds.',
  parameters: { type: 'object', properties: {} },
});
const MODEL = 'gpt-4.1';
const user = { role: 'user', content: 'Hello' } as const;
const REQUESTS: readonly BatchRequest[] = [
  { id: 'plain', model: MODEL, messages: [user] },
  {
    id: 'tools',
    model: MODEL,
    messages: history('any', {}),
    tools: [{ ...TOOL, name: 'add' }, TOOL],
    options: { seed: 1 },
  },
  { id: 'refused', model: MODEL, messages: [user] },
  { id: 'late', model: MODEL, messages: [user] },
];
const BIG = '{"x":12345678901234567890}';

/** How a vendor serves batches: the answers by path, the last question being the first answered with an end. */
interface Vendor {
  readonly config: (server: WireServer) => BatchConfig;
  readonly id: string;
  readonly running: object;
  readonly ended: object;
  /** The names of the requests, each with the JSON of its result. */
  readonly results: (name: string) => readonly string[];
  readonly isResults: (path: string) => boolean;
}

const chatReply = (message: string) =>
  `{"id":"c","object":"chat.completion","model":"m","choices":[{"index":0,"message":${message},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":2}}`;
const openaiLine = (id: string, body: string, status = 200) =>
  `{"id":"r","custom_id":"${id}","response":{"status_code":${status},"request_id":"q","body":${body}},"error":null}`;
const gemini = (id: string, rest: string) => `{${rest},"metadata":{"key":"${id}"}}`;
const geminiResponse = (part: string) =>
  `"response":{"candidates":[{"content":{"role":"model","parts":[${part}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":3,"candidatesTokenCount":2},"modelVersion":"g"}`;

const VENDORS: Readonly<Record<string, Vendor>> = {
  openai: {
    config: ({ baseUrl }) => ({ name: 'openai', baseUrl, token: 'sk-secret-key' }),
    id: 'batch_1',
    running: {
      id: 'batch_1',
      object: 'batch',
      status: 'in_progress',
      request_counts: { total: 4, completed: 1, failed: 0 },
    },
    ended: {
      id: 'batch_1',
      status: 'completed',
      output_file_id: 'file-out',
      error_file_id: 'file-err',
      request_counts: { total: 4, completed: 2, failed: 2 },
    },
    results: (name) => [
      openaiLine(
        'tools',
        chatReply(
          `{"role":"assistant","content":null,"tool_calls":[{"id":"t","type":"function","function":{"name":"${name}","arguments":${JSON.stringify(BIG)}}}]}`,
        ),
      ),
      openaiLine('plain', chatReply('{"role":"assistant","content":"Hi ä"}')),
      openaiLine('refused', '{"error":{"message":"bad sk-secret-key","type":"invalid_request_error"}}', 400),
      '{"id":"r","custom_id":"late","response":null,"error":{"code":"batch_expired","message":"too late"}}',
    ],
    isResults: (path) => path.endsWith('/content'),
  },
  'openai-responses': {
    config: ({ baseUrl }) => ({ name: 'openai-responses', baseUrl, token: 'sk-secret-key' }),
    id: 'batch_1',
    running: { id: 'batch_1', status: 'validating' },
    ended: { id: 'batch_1', status: 'expired', output_file_id: 'file-out', error_file_id: 'file-err' },
    results: (name) => [
      openaiLine(
        'plain',
        '{"id":"r","object":"response","status":"completed","model":"m","output":[{"type":"message","id":"m","role":"assistant","content":[{"type":"output_text","text":"Hi ä","annotations":[]}]}],"usage":{"input_tokens":3,"output_tokens":2}}',
      ),
      openaiLine(
        'tools',
        `{"id":"r","object":"response","status":"completed","model":"m","output":[{"type":"function_call","id":"f","call_id":"t","name":"${name}","arguments":${JSON.stringify(BIG)}}]}`,
      ),
      openaiLine('refused', '{"error":{"message":"bad sk-secret-key"}}', 400),
      '{"id":"r","custom_id":"late","response":null,"error":{"code":"batch_expired","message":"too late"}}',
    ],
    isResults: (path) => path.endsWith('/content'),
  },
  anthropic: {
    config: ({ url }) => ({ name: 'anthropic', baseUrl: url, token: 'sk-secret-key' }),
    id: 'msgbatch_1',
    running: { id: 'msgbatch_1', type: 'message_batch', processing_status: 'in_progress' },
    ended: {
      id: 'msgbatch_1',
      processing_status: 'ended',
      results_url: 'https://elsewhere.test/results',
      request_counts: { succeeded: 2, errored: 1, expired: 1, canceled: 0, processing: 0 },
    },
    results: (name) => [
      claude('late', '{"type":"expired"}'),
      claude(
        'refused',
        '{"type":"errored","error":{"type":"error","error":{"type":"invalid_request_error","message":"bad sk-secret-key"}}}',
      ),
      claude('tools', claudeMessage(`{"type":"tool_use","id":"t","name":"${name}","input":${BIG}}`)),
      claude('plain', claudeMessage('{"type":"text","text":"Hi ä"}')),
    ],
    isResults: (path) => path.endsWith('/results'),
  },
  gemini: {
    config: ({ url }) => ({ name: 'gemini', baseUrl: url, token: 'sk-secret-key' }),
    id: 'batches/b1',
    running: { name: 'batches/b1', metadata: { state: 'BATCH_STATE_RUNNING', batchStats: { requestCount: '4' } } },
    ended: {
      name: 'batches/b1',
      done: true,
      metadata: {
        state: 'BATCH_STATE_SUCCEEDED',
        batchStats: { successfulRequestCount: '2', failedRequestCount: '2' },
      },
    },
    results: (name) => [
      gemini('plain', geminiResponse('{"text":"Hi ä"}')),
      gemini('tools', geminiResponse(`{"functionCall":{"name":"${name}","args":{"x":1}}}`)),
      gemini('refused', '"error":{"code":400,"message":"bad sk-secret-key"}'),
      gemini('late', '"error":{"code":504,"message":"too late"}'),
    ],
    isResults: () => false,
  },
};

/** The name under which the second request offers the tool whose name no vendor takes. */
function wireName(requests: readonly RecordedRequest[]): string {
  const sent = requests.map(({ bytes }) => Buffer.from(bytes).toString('utf8')).join('');
  return /"name":\s?"(add_numbers[^"]*)"/.exec(sent)?.[1] ?? 'unsent';
}

async function withVendor(
  name: string,
  polls: number,
  work: (setup: { server: WireServer; batches: ReturnType<typeof createBatches>; vendor: Vendor }) => Promise<void>,
): Promise<void> {
  const vendor = VENDORS[name];
  if (vendor === undefined) throw new Error(name);
  let asked = 0;
  const server = await startWireServer({
    replies: (request): RawReply => {
      const { method, path } = request;
      const results = vendor.results(wireName(server.requests));
      if (path.endsWith('/files')) return reply({ id: 'file-in', object: 'file' });
      if (method === 'POST' && !path.endsWith('cancel')) return reply(vendor.running);
      if (path.endsWith('cancel')) {
        asked = polls;
        return reply(name === 'gemini' ? {} : vendor.running);
      }
      if (path.includes('file-err')) return reply(`${results.slice(2).join('\n')}\n`);
      if (vendor.isResults(path)) return reply(`${results.slice(0, path.includes('file-out') ? 2 : 4).join('\n')}\n`);
      asked += 1;
      if (asked < polls) return reply(vendor.running);
      if (name !== 'gemini') return reply(vendor.ended);
      const inlined = `{"inlinedResponses":{"inlinedResponses":[${results.join(',')}]}}`;
      return reply(`${JSON.stringify(vendor.ended).slice(0, -1)},"response":${inlined}}`);
    },
  });
  try {
    await work({ server, batches: createBatches({ ...vendor.config(server), ...transport }), vendor });
  } finally {
    await server.close();
  }
}

async function read(batches: ReturnType<typeof createBatches>, id: string, requests?: readonly BatchRequest[]) {
  const ends = new Map<string, MessageEnd>();
  const errors = new Map<string, KernelError>();
  for await (const result of batches.results(id, { requests })) {
    if ('end' in result) ends.set(result.id, result.end);
    else errors.set(result.id, result.error);
  }
  return { ends, errors };
}

/** The bodies of the requests of a batch as they were submitted. */
function bodiesOf(server: WireServer): readonly { path: string; body: unknown }[] {
  const upload = server.requests.find(({ path }) => path.endsWith('/files'));
  if (upload === undefined) return [];
  const lines = Buffer.from(upload.bytes)
    .toString('utf8')
    .split(/\r?\n/)
    .filter((each) => each.startsWith('{'));
  return lines.map((each) => {
    const { body, url } = JSON.parse(each) as { body: unknown; url: string };
    return { path: url, body };
  });
}

describe.each(Object.keys(VENDORS))('batches of %s', (name) => {
  test('are submitted, waited for and read, each result a reply or a typed error under the id of its request', async () => {
    verifies('providers.batches');
    await withVendor(name, 3, async ({ batches, server, vendor }) => {
      const { id, status } = await batches.submit(REQUESTS);
      expect([id, status]).toEqual([vendor.id, 'running']);
      const seen: Batch['status'][] = [];
      const done = await batches.wait(id, { intervalMs: 1, onPoll: (batch) => seen.push(batch.status) });
      expect([done.status, seen]).toEqual(['ended', ['running', 'running', 'ended']]);
      expect(done.counts ?? { succeeded: 2, failed: 2 }).toEqual({ succeeded: 2, failed: 2 });

      const { ends, errors } = await read(batches, id, REQUESTS);
      expect([...ends.keys()].toSorted()).toEqual(['plain', 'tools']);
      const plain = ends.get('plain');
      expect([plain && textOf(plain.message), plain?.finishReason, plain?.usage?.outputTokens]).toEqual([
        'Hi ä',
        'stop',
        2,
      ]);
      const tools = ends.get('tools');
      const [call] = tools === undefined ? [] : toolCallsOf(tools.message);
      expect([call?.name, call?.arguments, tools?.finishReason]).toEqual([
        'add numbers',
        name === 'gemini' ? '{"x":1}' : BIG,
        'tool-calls',
      ]);
      expect(tools?.message.provider).toMatchObject({ vendor: name });
      expect([...errors.keys()].toSorted()).toEqual(['late', 'refused']);
      const refused = errors.get('refused');
      expect(refused).toMatchObject({ code: expect.stringMatching(/^PROVIDER_/) as unknown, retryable: false });
      expect(JSON.stringify(refused)).not.toContain('sk-secret-key');
      expect(refused?.message).toContain('bad ');

      // The vendor's judge takes every request, also those in a file.
      expect(server.requests.flatMap(({ problems }) => problems)).toEqual([]);
      for (const { body, path } of bodiesOf(server)) {
        const judged = await fetch(`${server.url}${path}`, { method: 'POST', body: JSON.stringify(body) });
        expect([judged.status, await judged.text()]).toEqual([200, JSON.stringify(vendor.running)]);
      }
      expect(
        server.requests.every(({ method, headers }) => method !== 'GET' || headers['content-type'] === undefined),
      ).toBe(true);
    });
  });

  test('are read by another process, without the requests', async () => {
    verifies('providers.batches');
    await withVendor(name, 1, async ({ batches, vendor }) => {
      const { ends } = await read(batches, vendor.id);
      expect(textOf(ends.get('plain')?.message ?? { role: 'user', content: '' })).toBe('Hi ä');
    });
  });

  test('have no results while they run, and can be cancelled', async () => {
    verifies('providers.batches.states');
    await withVendor(name, 100, async ({ batches, vendor }) => {
      expect(await errorOf(read(batches, vendor.id))).toMatchObject({
        code: 'CONFIG_INVALID',
        message: expect.stringContaining('still running') as unknown,
      });
      expect((await batches.cancel(vendor.id)).id).toBe(vendor.id);
      expect((await batches.wait(vendor.id, { intervalMs: 1 })).status).toBe('ended');
    });
  });

  test('an abort ends the wait at once with its reason, and leaves the batch alone', async () => {
    verifies('providers.batches.abort');
    await withVendor(name, 100, async ({ batches, server, vendor }) => {
      const controller = new AbortController();
      const outcome = errorOf(batches.wait(vendor.id, { intervalMs: 3_600_000, signal: controller.signal }));
      await until(() => server.requests.length === 1, 60_000);
      controller.abort(new Error('enough'));
      expect(await outcome).toMatchObject({ message: 'enough' });
      expect(server.requests.filter(({ path }) => path.includes('cancel'))).toEqual([]);
      expect(await errorOf(batches.submit(REQUESTS, { signal: controller.signal }))).toMatchObject({
        message: 'enough',
      });
    });
  });
});

describe('a batch', () => {
  const batches = createBatches({ name: 'anthropic', baseUrl: 'http://127.0.0.1:1', token: 'k' });
  const [plain] = REQUESTS as readonly [BatchRequest];

  test.each([
    [[], /0 requests/],
    [[plain, plain], /two requests have the id "plain"/],
    [[{ ...plain, id: 'a b' }], /the id "a b"/],
    [[{ ...plain, id: '' }], /the id ""/],
    [[{ ...plain, messages: [] }], /no messages/],
    ['all', /an array of requests/],
  ])('of %j is refused before anything is sent', async (requests, message) => {
    verifies('providers.batches.checked');
    const error = await errorOf(batches.submit(requests as readonly BatchRequest[]));
    expect([error.code, message.test(error.message)]).toEqual(['CONFIG_INVALID', true]);
  });

  test('of two models is refused by Gemini, and a vendor without batches at once', async () => {
    verifies('providers.batches.checked');
    const google = createBatches({ name: 'gemini', baseUrl: 'http://127.0.0.1:1', token: 'k' });
    const two = [plain, { ...plain, id: 'b', model: 'other' }];
    expect(await errorOf(google.submit(two))).toMatchObject({ code: 'CONFIG_INVALID' });
    const large = { ...plain, messages: [{ role: 'user', content: 'x'.repeat(20_000_001) } as const] };
    expect(await errorOf(google.submit([large]))).toMatchObject({ code: 'CONFIG_INVALID' });
    expect(() => createBatches({ name: 'azure' } as never)).toThrow(/no batches for "azure"/);
  });
});

describe('results', () => {
  test('of any number come as they arrive, however the bytes are cut, and in order', async () => {
    verifies('providers.batches.lines');
    const text = Array.from({ length: 3000 }, (_, at) => line(at)).join('\n');
    const chunks = Array.from({ length: Math.ceil(text.length / 997) }, (_, at) =>
      text.slice(at * 997, (at + 1) * 997),
    );
    await withResults({ chunks }, async (batches) => {
      const ids: string[] = [];
      for await (const { id } of batches.results('b')) ids.push(id);
      expect(ids).toEqual(Array.from({ length: 3000 }, (_, at) => `id-${at}`));
    });
  });

  test.each([
    ['a line that is cut', { chunks: [line(1).slice(0, 30)] }, {}, /cut short/],
    ['a connection that breaks', { chunks: [`${line(1)}\n`, line(2)], fault: { resetAfter: 10 } }, {}, /./],
    ['a line beyond its limit', { chunks: [line(1)] }, { lineLength: 50 }, /lineLength/],
    ['more bytes than allowed', { chunks: [`${line(1)}\n`.repeat(99)] }, { responseBytes: 999 }, /responseBytes/],
  ] as const)('%s is a typed error', async (_, results, limits, message) => {
    verifies('providers.batches.lines');
    await withResults(
      results,
      async (batches) => {
        const error = await errorOf(read(batches, 'b'));
        expect([error.code.startsWith('PROVIDER_'), message.test(error.message)]).toEqual([true, true]);
      },
      limits,
    );
  });

  test('a question that fails for a while is asked again; one that goes on failing, or is refused, is an error', async () => {
    verifies('providers.batches.states');
    const down = reply({ error: { message: 'overloaded' } }, 529);
    const server = await startWireServer({
      replies: [down, down, ended, down, down, down, down, down, reply({}, 404)],
    });
    try {
      const batches = createBatches({ name: 'anthropic', baseUrl: server.url, token: 'k', ...transport });
      expect((await batches.wait('b', { intervalMs: 1 })).status).toBe('ended');
      expect(await errorOf(batches.wait('b', { intervalMs: 1 }))).toMatchObject({
        code: 'PROVIDER_HTTP',
        data: { status: 529 },
      });
      expect(await errorOf(batches.wait('b', { intervalMs: 1 }))).toMatchObject({ data: { status: 404 } });
      expect(server.requests).toHaveLength(9);
    } finally {
      await server.close();
    }
  });

  test('that a vendor never ends is waited for three days, and one of an unknown status is not waited for', async () => {
    verifies('providers.batches.endless');
    const running = reply({ id: 'b', processing_status: 'in_progress' });
    const odd = reply({ id: 'b', processing_status: 'archived' });
    const server = await startWireServer({ replies: [running, running, running, running, odd] });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    try {
      const batches = createBatches({ name: 'anthropic', baseUrl: server.url, token: 'k', ...transport });
      const dayMs = 24 * 3_600_000;
      const onPoll = (): void => void setImmediate(() => void vi.advanceTimersByTimeAsync(dayMs));
      const outcome = errorOf(batches.wait('b', { intervalMs: dayMs, onPoll }));
      expect(await outcome).toMatchObject({ code: 'PROVIDER_TIMEOUT', retryable: true, data: { id: 'b' } });
      expect(server.requests).toHaveLength(4);
      expect((await batches.wait('b')).status).toBe('ended');
    } finally {
      await server.close();
    }
  });

  test('whose results never end has no more of them than it can have', async () => {
    verifies('providers.batches.endless');
    const lineOf = (id: number): string => `${JSON.stringify({ custom_id: `r${id}`, result: { type: 'canceled' } })}\n`;
    const many = Array.from({ length: 200_001 }, (_, id) => lineOf(id % 3)).join('');
    const server = await startWireServer({ replies: [ended, { chunks: [many] }] });
    try {
      const batches = createBatches({ name: 'anthropic', baseUrl: server.url, token: 'k', ...transport });
      const seen: string[] = [];
      const reading = async (): Promise<void> => {
        for await (const { id } of batches.results('b')) seen.push(id);
      };
      expect(await errorOf(reading())).toMatchObject({ code: 'PROVIDER_PROTOCOL', data: { id: 'b' } });
      expect(seen).toEqual(['r0', 'r1', 'r2']);
    } finally {
      await server.close();
    }
  });
});
