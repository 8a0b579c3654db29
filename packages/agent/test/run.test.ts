import { untilHolds } from '../../../test/setup/without-timers.ts';
import {
  type FinishReason,
  KernelError,
  type Message,
  type Provider,
  type ProviderRequest,
  type Tool,
  toolCallsOf,
  type Toolset,
  wrapCalls,
} from '@kernel/protocol';
import { toToolset } from '@kernel/schema';
import { mockTool, mockToolset, scriptedProvider, verifies } from '@kernel/testing';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { collect, run } from '../src/index.ts';
import { endOf, expectSound, readAll, user } from './support.ts';
import { skipTime } from '../../../test/setup/skip-time.ts';

const model = 'm';

describe('an answer', () => {
  test('a reply without calls ends the run with its text, and the request carries no tools key', async () => {
    verifies('agent.loop.answer');
    for (const tools of [undefined, mockToolset([])]) {
      const provider = scriptedProvider([{ text: 'Hello' }]);
      const result = await collect(run({ provider, model, messages: [user('Hi')], tools }));
      expect(result).toMatchObject({ reason: 'done', answer: 'Hello', turns: 1, toolCalls: [] });
      expect(provider.streamRequests[0]).not.toHaveProperty('tools');
      provider.assertDone();
    }
  });

  test('a finish reason that does not exist is like any other end of a reply', async () => {
    const finishReason = 'done' as FinishReason;
    const provider = scriptedProvider([{ text: 'hi', finishReason }, { finishReason }]);
    const said = await collect(run({ provider, model, messages: [user('Hi')] }));
    expect(said).toMatchObject({ reason: 'done', answer: 'hi' });
    const empty = await collect(run({ provider, model, messages: [user('Hi')] }));
    expect(empty).toMatchObject({ reason: 'error', error: { code: 'PROVIDER_PROTOCOL', retryable: true } });
  });

  test('an empty reply is a failure that says so, never an empty answer', async () => {
    const result = await collect(run({ provider: scriptedProvider([{}]), model, messages: [user('Hi')] }));
    expect(result).toMatchObject({ reason: 'error', error: { code: 'PROVIDER_PROTOCOL' } });
  });

  test('a reply of opaque parts alone is an answer without text, and goes back with the next request', async () => {
    const opaque = { type: 'opaque', kind: 'image', providerData: { data: 'AA==' } } as const;
    const message = { role: 'assistant', content: [opaque], provider: { vendor: 'v', model } } as const;
    const provider: Provider = {
      name: 'v',
      async *stream() {
        yield { type: 'message-end', message, finishReason: 'stop' };
      },
    };
    const result = await collect(run({ provider, model, messages: [user('Draw')] }));
    expect(result).toMatchObject({ reason: 'done', answer: '' });
    expect(result.messages.at(-1)).toEqual(message);
  });

  test('every requested call runs, and the next request holds the message with its calls and then the results', async () => {
    verifies('agent.loop.feedback', 'agent.loop.message.assistant', 'agent.loop.message.tool');
    const tools = mockToolset([mockTool('a', 'result a'), mockTool('b', 'result b')]);
    const provider = scriptedProvider([
      {
        text: 'Let me look.',
        calls: [
          { name: 'a', id: '1', arguments: '{ "x": 1 }' },
          { name: 'b', id: '2' },
        ],
      },
      { text: 'Both done.' },
    ]);
    const result = await collect(run({ provider, model, messages: [user('Go')], tools }));
    expect(result).toMatchObject({ reason: 'done', answer: 'Both done.', turns: 2 });
    const sent = provider.streamRequests[1]?.messages ?? [];
    expect(sent.slice(1)).toEqual([
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'Let me look.' },
          { type: 'tool-call', id: '1', name: 'a', arguments: '{ "x": 1 }' },
          { type: 'tool-call', id: '2', name: 'b', arguments: '{}' },
        ],
        provider: { vendor: 'scripted', model },
      },
      { role: 'tool', toolCallId: '1', name: 'a', content: 'result a' },
      { role: 'tool', toolCallId: '2', name: 'b', content: 'result b' },
    ]);
    expect(tools.calls.map((call) => call.name)).toEqual(['a', 'b']);
  });

  test('an empty call id and one that the history has used are replaced, others are kept', async () => {
    verifies('agent.loop.message.assistant');
    const provider = scriptedProvider([
      { calls: [{ name: 'a', id: 'same' }] },
      {
        calls: [
          { name: 'a', id: 'same' },
          { name: 'a', id: '' },
          { name: 'a', id: 'new' },
        ],
      },
      { text: 'ok' },
    ]);
    const tools = mockToolset([mockTool('a', 'fine')]);
    const { messages } = await collect(run({ provider, model, messages: [user('Go')], tools }));
    expectSound(messages);
    expect(messages.at(-2)).toMatchObject({ role: 'tool', toolCallId: 'new' });
  });

  test('a provider that gives every call the same id still gets a history in which each result belongs to its call', async () => {
    verifies('agent.loop.message.assistant', 'agent.loop.history.pairs');
    const tools = mockToolset([mockTool('echo', (call) => call.arguments)]);
    const script = (from: number) => [
      ...Array.from({ length: 3 }, (_, turn) => ({
        calls: [
          { name: 'echo', id: 'call_0', arguments: { n: from + turn } },
          { name: 'echo', id: 'call_0', arguments: { n: from - turn } },
        ],
      })),
      { text: 'ok' },
    ];
    const runTwice = async (): Promise<readonly Message[]> => {
      const first = await collect(
        run({ provider: scriptedProvider(script(10)), model, messages: [user('Go')], tools }),
      );
      const messages = [...first.messages, user('Again')];
      return (await collect(run({ provider: scriptedProvider(script(20)), model, messages, tools }))).messages;
    };
    const messages = await runTwice();
    expectSound(messages);
    const calls = messages.flatMap(toolCallsOf);
    expect(calls.map(({ id }) => id)).toEqual([
      'call_0',
      'call_1',
      ...Array.from({ length: 10 }, (_, index) => `call_${index + 3}`),
    ]);
    const results = messages.filter((message) => message.role === 'tool');
    expect(results.map(({ content }) => content)).toEqual(calls.map((call) => call.arguments));
    // Nothing random and no time is in them.
    expect(await runTwice()).toEqual(messages);
  });

  test('usage is summed over all turns', async () => {
    verifies('agent.loop.usage');
    const provider = scriptedProvider([
      { calls: [{ name: 'a' }], usage: { inputTokens: 10, outputTokens: 1, cachedInputTokens: 4 } },
      { text: 'ok', usage: { inputTokens: 20, outputTokens: 2, reasoningTokens: 1 } },
    ]);
    const result = await collect(
      run({ provider, model, messages: [user('Go')], tools: mockToolset([mockTool('a', 'x')]) }),
    );
    expect(result.usage).toEqual({ inputTokens: 30, outputTokens: 3, cachedInputTokens: 4, reasoningTokens: 1 });
  });

  test('model options, the system prompt and the conversation reach every request and every handler', async () => {
    verifies('agent.loop.options', 'agent.loop.system', 'agent.loop.context');
    const tools = mockToolset([mockTool('a', 'x')]);
    const provider = scriptedProvider([{ calls: [{ name: 'a' }] }, { text: 'ok' }]);
    const conversation = { channel: 'chat', chatId: '7' };
    const options = { max_tokens: 4096, temperature: 0 };
    const messages: Message[] = [{ role: 'system', content: 'Old.' }, user('Go')];
    await collect(run({ provider, model, messages, tools, system: 'Be brief.', conversation, options }));
    for (const request of provider.streamRequests) {
      expect(request.options).toEqual(options);
      expect(request.messages.filter((message) => message.role === 'system')).toEqual([
        { role: 'system', content: 'Be brief.' },
      ]);
    }
    expect(tools.contexts[0]?.conversation).toEqual(conversation);
  });

  test("the caller's messages are not changed, and a run goes on from the whole history of another", async () => {
    verifies('agent.loop.history.input');
    const messages = [user('One')];
    const first = await collect(run({ provider: scriptedProvider([{ text: 'Uno' }]), model, messages }));
    expect(messages).toEqual([user('One')]);
    const provider = scriptedProvider([{ text: 'Dos' }]);
    const second = await collect(run({ provider, model, messages: [...first.messages, user('Two')] }));
    expect(second.messages.map((message) => message.role)).toEqual(['user', 'assistant', 'user', 'assistant']);
    expect(provider.streamRequests[0]?.messages[1]).toBe(first.messages[1]);
  });
});

describe('events', () => {
  test('come as turn-start, deltas, message-end, tool-start, tool-progress, tool-end, turn-end, run-end', async () => {
    verifies('agent.loop.events', 'agent.loop.reasons');
    const tools = mockToolset([
      mockTool('a', (_call, { onProgress }) => {
        onProgress?.('half');
        return 'x';
      }),
    ]);
    const provider = scriptedProvider([{ text: 'Hm', calls: [{ name: 'a' }] }, { chunks: ['o', 'k'] }]);
    const events = await readAll(run({ provider, model, messages: [user('Go')], tools }));
    expect(events.map((event) => event.type)).toEqual([
      'turn-start',
      'text-delta',
      'tool-call-delta',
      'message-end',
      'tool-start',
      'tool-progress',
      'tool-end',
      'turn-end',
      'turn-start',
      'text-delta',
      'text-delta',
      'message-end',
      'turn-end',
      'run-end',
    ]);
    expect(endOf(events).reason).toBe('done');
  });

  test('the tools of turn-start and of the request are the very objects and array of the list', async () => {
    const tools = mockToolset([mockTool('a', 'x')]);
    const provider = scriptedProvider([{ text: 'ok' }]);
    const events = await readAll(run({ provider, model, messages: [user('Go')], tools }));
    const start = events.find((event) => event.type === 'turn-start');
    expect(start?.tools).toBe(tools.list());
    expect(provider.streamRequests[0]?.tools).toBe(tools.list());
  });
});

test("a result's text for the user is in the tool-end event, unless silent, and never goes to the model", async () => {
  verifies('result.silent');
  const tools = mockToolset([
    mockTool('shows', { returns: { forLLM: 'ok', forUser: 'For you only.' } }),
    mockTool('hides', { returns: { forLLM: 'ok', forUser: 'For you only.', silent: true } }),
  ]);
  const provider = scriptedProvider([{ calls: [{ name: 'shows' }, { name: 'hides' }] }, { text: 'ok' }]);
  const events = await readAll(run({ provider, model, messages: [user('Go')], tools }));
  const results = events.flatMap((event) => (event.type === 'tool-end' ? [event.result] : []));
  expect(results.map(({ forUser, silent }) => [forUser, silent])).toEqual([
    ['For you only.', undefined],
    [undefined, true],
  ]);
  expect(JSON.stringify(provider.streamRequests[1]?.messages)).not.toContain('For you only.');
});

describe('calls', () => {
  test('run in parallel, and their results are appended in call order whatever the order of completion', async () => {
    verifies('agent.loop.order', 'agent.loop.parallel');
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const tools = mockToolset([mockTool('slow', { delayMs: 20, returns: 's' }), mockTool('fast', 'f')]);
    const calls = Array.from({ length: 32 }, (_, index) => ({ name: index % 2 === 0 ? 'slow' : 'fast' }));
    const provider = scriptedProvider([{ calls }, { text: 'ok' }]);
    const result = collect(run({ provider, model, messages: [user('Go')], tools }));
    // As long as one call: 16 slow ones in sequence would take 320 ms, and this time never comes.
    await untilHolds(() => tools.running >= 16);
    await vi.advanceTimersByTimeAsync(20);
    const { messages } = await result;
    expectSound(messages);
    expect(messages.filter((message) => message.role === 'tool').map((message) => message.content)).toEqual(
      calls.map(({ name }) => name.slice(0, 1)),
    );
    expect(tools.maxRunning).toBeGreaterThanOrEqual(16);
  });

  test('run at most `parallel` at once, and one by one with 1', async () => {
    verifies('agent.loop.parallel');
    for (const parallel of [1, 3]) {
      const tools = mockToolset([mockTool('a', { delayMs: 2 })]);
      const provider = scriptedProvider([{ calls: Array.from({ length: 9 }, () => ({ name: 'a' })) }, { text: 'ok' }]);
      await collect(run({ provider, model, messages: [user('Go')], tools, limits: { parallel } }));
      expect(tools.maxRunning).toBe(parallel);
    }
  });

  test('no failure of a tool or toolset ends the run: each becomes a result that the model sees', async () => {
    verifies('agent.loop.fault');
    const tools = mockToolset([
      mockTool('rejects', { throws: new Error('the disk is full') }),
      mockTool('throws_text', { throws: 'plain text' }),
      mockTool('fails', { returns: { forLLM: '', isError: true, error: new Error('no such file') } }),
    ]);
    const names = ['rejects', 'throws_text', 'fails', 'unknown'];
    const provider = scriptedProvider([{ calls: names.map((name) => ({ name })) }, { text: 'ok' }]);
    const result = await collect(run({ provider, model, messages: [user('Go')], tools }));
    expect(result.reason).toBe('done');
    const texts = result.messages.filter((message) => message.role === 'tool');
    expect(texts.map((message) => message.content)).toEqual([
      expect.stringContaining('the disk is full'),
      expect.stringContaining('plain text'),
      'no such file',
      expect.stringContaining('unknown'),
    ]);
    expect(texts.every((message) => message.isError === true)).toBe(true);
  });

  test('of a reply that was cut, filtered or refused never run and do not enter the history', async () => {
    verifies('agent.loop.truncated');
    for (const finishReason of ['length', 'content-filter', 'refusal'] as const) {
      const tools = mockToolset([mockTool('a', 'x')]);
      const reply = {
        role: 'assistant',
        content: [{ type: 'tool-call', id: '1', name: 'a', arguments: '{}' }],
      } as const;
      const provider: Provider = {
        name: 'careless',
        async *stream() {
          yield { type: 'message-end', message: reply, finishReason };
        },
      };
      const events = await readAll(run({ provider, model, messages: [user('Go')], tools }));
      expect(tools.calls).toHaveLength(0);
      expect(endOf(events)).toMatchObject({
        reason: finishReason === 'length' ? 'length' : 'filtered',
        messages: [user('Go')],
      });
      const end = events.find((event) => event.type === 'message-end');
      expect(end?.droppedCalls).toEqual([{ id: '1', name: 'a', arguments: '{}', reason: finishReason }]);
    }
  });

  test('a tool added, replaced or removed between turns is offered or missing in the next request', async () => {
    verifies('agent.loop.live');
    const a = mockTool('a', 'x').tool;
    const b = mockTool('b', 'x').tool;
    const lists = [[a], [a, b], [b]];
    let turn = 0;
    const tools = toToolset({
      list: () => lists[turn - 1] ?? [],
      call: async () => ({ forLLM: 'x' }),
      async listFor(context) {
        ({ turn } = context);
        return this.list();
      },
    });
    const provider = scriptedProvider([{ calls: [{ name: 'a' }] }, { calls: [{ name: 'a' }] }, { text: 'ok' }]);
    await collect(run({ provider, model, messages: [user('Go')], tools }));
    expect(provider.streamRequests.map((request) => request.tools)).toEqual(lists);
  });

  test('each call has an idempotency key of its own', async () => {
    const tools = mockToolset([mockTool('a', 'x')]);
    const script = () =>
      scriptedProvider([
        {
          calls: [
            { name: 'a', id: '1' },
            { name: 'a', id: '2' },
          ],
        },
        { text: 'ok' },
      ]);
    await collect(run({ provider: script(), model, messages: [user('Go')], tools }));
    await collect(run({ provider: script(), model, messages: [user('Go')], tools }));
    expect(new Set(tools.contexts.map((context) => context.idempotencyKey)).size).toBe(4);
  });
});

describe('errors of a provider', () => {
  test('end the run with reason error, the error itself and the messages so far', async () => {
    verifies('agent.loop.providerError');
    const error = new KernelError('PROVIDER_HTTP', 'The server answered 500.', { retryable: true });
    const provider = scriptedProvider([
      { calls: [{ name: 'a' }] },
      { error, after: [{ type: 'text-delta', text: 'par' }] },
    ]);
    const result = await collect(
      run({ provider, model, messages: [user('Go')], tools: mockToolset([mockTool('a', 'x')]) }),
    );
    expect(result).toMatchObject({ reason: 'error', turns: 2 });
    expect(result.reason === 'error' && result.error).toBe(error);
    expectSound(result.messages);
  });

  test.each([
    ['a stream without message-end', { name: 'p', async *stream() {} }],
    [
      'a stream that throws no KernelError',
      {
        name: 'p',
        stream: () => {
          throw new TypeError('x is undefined');
        },
      },
    ],
  ] as [string, Provider][])('%s is an error that keeps its cause', async (_name, provider) => {
    const result = await collect(run({ provider, model, messages: [user('Go')] }));
    expect(result).toMatchObject({ reason: 'error', error: { code: 'PROVIDER_PROTOCOL' } });
  });
});

describe('a toolset that breaks its contract', () => {
  test.each([undefined, null, 'text', 42, {}, { forLLM: 1 }])(
    'by returning %j instead of a result is a failure that the model reads',
    async (value) => {
      verifies('agent.loop.fault', 'agent.loop.history.pairs');
      const tools = wrapCalls(mockToolset([mockTool('a', 'x'), mockTool('b', 'y')]), (prepared) =>
        prepared.tool.name === 'a' ? { ...prepared, run: () => Promise.resolve(value as never) } : prepared,
      );
      const provider = scriptedProvider([{ calls: [{ name: 'a' }, { name: 'b' }] }, { text: 'ok' }]);
      const events = await readAll(run({ provider, model, messages: [user('Go')], tools }));
      const end = endOf(events);
      expect(end.reason).toBe('done');
      expectSound(end.messages);
      expect(end.messages[2]).toMatchObject({ isError: true, content: expect.stringContaining('instead of a result') });
      expect(end.messages[3]).toMatchObject({ content: 'y' });
    },
  );

  test.each([
    ['listFor', { listFor: () => Promise.reject(new Error('no disk')) }],
    [
      'list',
      {
        list: () => {
          throw new Error('no disk');
        },
      },
    ],
  ])('by a %s that throws ends the run with an error that names it', async (member, broken) => {
    const tools = { ...mockToolset([]), ...broken };
    const result = await collect(run({ provider: scriptedProvider([]), model, messages: [user('Go')], tools }));
    expect(result).toMatchObject({
      reason: 'error',
      error: { code: 'TOOL_FAILED', message: `${member}() of the toolset failed: no disk.` },
    });
  });

  test('by a listFor that never settles is stopped by a timeout that the error names', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const tools = { ...mockToolset([]), listFor: () => new Promise<never>(() => {}) };
    const result = collect(run({ provider: scriptedProvider([]), model, messages: [user('Go')], tools }));
    await vi.advanceTimersByTimeAsync(30_001);
    expect(await result).toMatchObject({
      reason: 'error',
      error: { message: expect.stringContaining('longer than 30000 ms') },
    });
  });
});

describe("a programmer's mistake", () => {
  test.each([
    ['no provider', { provider: undefined }],
    ['no model', { model: undefined }],
    ['a list of tools as a toolset', { tools: [] }],
    ['a text as messages', { messages: 'Hi' }],
    ['a null message', { messages: [null] }],
    ['a message of an unknown role', { messages: [{ role: 'robot', content: '' }] }],
    ['an assistant message whose content is text', { messages: [{ role: 'assistant', content: 'Hi' }] }],
    ['half a turn', { limits: { turns: 0.5 } }],
    ['negative time', { limits: { timeMs: -1 } }],
  ])('%s throws at once with a hint', (_name, wrong) => {
    const options = { provider: scriptedProvider([]), model, messages: [], ...wrong };
    expect(() => run(options as never)).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', hint: expect.any(String) }),
    );
  });
});

test('the loop needs no kernel package but protocol: hand-written ports will do', async () => {
  verifies('architecture.ports');
  const requests: ProviderRequest[] = [];
  const provider: Provider = {
    name: 'by hand',
    async *stream(request) {
      requests.push(request);
      const content =
        requests.length === 1
          ? ([{ type: 'tool-call', id: '1', name: 'add', arguments: '{"a":1,"b":2}' }] as const)
          : ([{ type: 'text', text: 'It is 3.' }] as const);
      yield { type: 'message-end', message: { role: 'assistant', content }, finishReason: 'stop' };
    },
  };
  const tool: Tool = { name: 'add', description: 'Adds', parameters: { type: 'object' } };
  const tools: Toolset = {
    list: () => [tool],
    prepare: (call) => ({
      tool,
      arguments: call.arguments,
      async run() {
        const { a, b } = JSON.parse(call.arguments) as { a: number; b: number };
        return { forLLM: String(a + b) };
      },
    }),
  };
  const result = await collect(run({ provider, model, messages: [user('1 + 2?')], tools }));
  expect(result).toMatchObject({ reason: 'done', answer: 'It is 3.' });
  expect(requests[1]?.messages.at(-1)).toMatchObject({ role: 'tool', content: '3' });
});

describe('in virtual time', () => {
  skipTime();

  describe('events', () => {
    test('a slow reader holds a fast provider back', async () => {
      let sent = 0;
      const provider: Provider = {
        name: 'fast',
        async *stream() {
          for (; sent < 10_000; sent += 1) yield { type: 'text-delta', text: '.' } as const;
          yield {
            type: 'message-end',
            message: { role: 'assistant', content: [{ type: 'text', text: '.' }] },
            finishReason: 'stop',
          };
        },
      };
      const events = run({ provider, model, messages: [user('Go')] });
      await events.next();
      await new Promise((resolve) => setTimeout(resolve, 20));
      expect(sent).toBeLessThan(200);
      await events.return();
    });
  });
});
