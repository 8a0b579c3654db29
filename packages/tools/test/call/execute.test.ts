import { KernelError, type ToolContext, errorResult, silentResult, asyncResult, callTool } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { afterEach, expect, test, vi, describe } from 'vitest';
import { type RegistryEvent, createRegistry, bindTool } from '../../src/index.ts';
import { context, simple, codeAndOutcome, toolCall, wait } from '../support.ts';
import { skipTime } from '../../../../test/setup/skip-time.ts';

/** Throws what is no error, as a careless handler may. */
const fail = (thrown: unknown): never => {
  // oxlint-disable-next-line typescript/only-throw-error
  throw thrown;
};
afterEach(() => void vi.useRealTimers());

const forever = (): Promise<never> => new Promise(() => {});

test('call and execute run the handler once with the validated input', async () => {
  verifies('tools.execute.ok');
  const inputs: unknown[] = [];
  const registry = createRegistry([simple('a', {}, (input) => void inputs.push(input))]);
  expect(await callTool(registry, toolCall('a', { x: 1 }), context())).toEqual({ forLLM: 'done' });
  expect(await registry.execute('a', { x: 2 })).toEqual({ forLLM: 'done' });
  expect(inputs).toEqual([{ x: 1 }, { x: 2 }]);
});

test('a call to an unknown tool returns the nearest name and runs nothing', async () => {
  verifies('tools.execute.unknown', 'tools.errors.text.unknown');
  const registry = createRegistry([simple('read_file'), simple('write_file'), simple('list_directory')]);
  const near = await callTool(registry, toolCall('read_flie'), context());
  expect(near).toMatchObject({ isError: true, code: 'TOOL_NOT_FOUND' });
  expect(near.forLLM).toContain('Did you mean "read_file"');
  const far = await callTool(registry, toolCall('zzz'), context());
  expect(far.forLLM).toBe(
    'TOOL_NOT_FOUND: no tool named "zzz". The tools are "read_file", "write_file", "list_directory".',
  );
  expect((await createRegistry().execute('a')).forLLM).toContain('No tool is offered');
  expect((await callTool(registry, toolCall('x'.repeat(100_000)), context())).forLLM.length).toBeLessThan(300);
});

test('arguments are validated on every call, and the handler does not run if they are invalid', async () => {
  verifies('tools.execute.validate');
  let entered = 0;
  const binding = bindTool(
    {
      name: 'a',
      description: '',
      parameters: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
    },
    () => (entered += 1),
  );
  const registry = createRegistry([binding]);
  expect((await registry.execute('a', {})).code).toBe('ARGUMENTS_INVALID');
  expect((await registry.execute('a', { n: 'x' })).code).toBe('ARGUMENTS_INVALID');
  expect(entered).toBe(0);
  expect((await registry.execute('a', { n: 1 })).data).toBe(1);
});

test.each([
  ['an Error', new Error('disk is full'), 'TOOL_FAILED: "a" failed: disk is full'],
  ['a string', 'no way', 'TOOL_FAILED: "a" failed: no way'],
  ['undefined', undefined, 'TOOL_FAILED: "a" failed: undefined'],
  ['null', null, 'TOOL_FAILED: "a" failed: null'],
  ['an object', { status: 4 }, 'TOOL_FAILED: "a" failed: {"status":4}'],
])(
  'a handler that throws %s, at once or later, gives TOOL_FAILED with the original as the cause',
  async (_, thrown, text) => {
    verifies('tools.execute.throw');
    const handlers = [() => fail(thrown), () => Promise.reject(thrown)];
    for (const handler of handlers) {
      // oxlint-disable-next-line no-await-in-loop
      const result = await createRegistry([simple('a', {}, handler)]).execute('a');
      expect(result).toMatchObject({ isError: true, code: 'TOOL_FAILED', forLLM: text });
      expect(KernelError.is(result.error, 'TOOL_FAILED') && result.error.cause).toBe(thrown);
    }
  },
);

test('what a handler returns becomes a result: text, data, nothing, or a result of its own', async () => {
  verifies('result.wrap', 'tools.execute.throw');
  const cycle: Record<string, unknown> = {};
  cycle['self'] = cycle;
  const returned: unknown[] = [
    'text',
    '',
    undefined,
    null,
    5,
    [1, { a: true }],
    silentResult('quiet'),
    errorResult('no'),
    cycle,
    10n,
    () => 1,
    new Error('told'),
  ];
  const results = await Promise.all(
    returned.map((value) => createRegistry([simple('a', { effect: 'read' }, () => value)]).execute('a')),
  );
  expect(results.slice(0, 8)).toEqual([
    { forLLM: 'text' },
    { forLLM: '' },
    { forLLM: 'done' },
    { forLLM: 'null', data: null },
    { forLLM: '5', data: 5 },
    { forLLM: '[1,{"a":true}]', data: [1, { a: true }] },
    { forLLM: 'quiet', silent: true },
    { forLLM: 'no', isError: true },
  ]);
  expect(results.slice(8).map(codeAndOutcome)).toEqual(Array.from({ length: 4 }, () => 'TOOL_FAILED done'));
});

test('a handler that ignores its signal is abandoned at its timeout, its signal aborted and its late end reported', async () => {
  verifies('tools.execute.timeout.enforced', 'tools.execute.abort.late', 'tools.execute.retryable');
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const events: RegistryEvent[] = [];
  let signal: AbortSignal | undefined;
  const registry = createRegistry([
    simple('stuck', {}, (_, given: ToolContext) => {
      ({ signal } = given);
      return wait(120).then(() => 'too late');
    }),
  ]);
  registry.onEvent((event) => events.push(event));
  let ended = false;
  const running = registry.execute('stuck', {}, { timeoutMs: 30 }).finally(() => (ended = true));
  await vi.advanceTimersByTimeAsync(29);
  expect(ended).toBe(false);
  await vi.advanceTimersByTimeAsync(21);
  const result = await running;
  expect(codeAndOutcome(result)).toBe('TOOL_TIMEOUT timeout');
  expect(result.forLLM).toBe(
    'TOOL_TIMEOUT: "stuck" did not finish within 30 ms and was abandoned; what it has done so far is unknown.',
  );
  expect(KernelError.is(result.error) && result.error.retryable).toBe(true);
  expect([signal?.aborted, registry.abandoned]).toEqual([true, 1]);
  await vi.advanceTimersByTimeAsync(70);
  expect(registry.abandoned).toBe(0);
  expect(events.map((event) => event.type)).toEqual(['call-start', 'call-end', 'call-late']);
  expect(events.at(-1)).toMatchObject({ kind: 'abandoned', name: 'stuck', isError: false });
});

test.each([
  [
    'that stops',
    (_: unknown, { signal }: ToolContext) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))),
    'cancelled',
    'was cancelled and stopped',
  ],
  [
    'that returns something',
    (_: unknown, { signal }: ToolContext) =>
      new Promise((resolve) => signal.addEventListener('abort', () => resolve('x'))),
    'cancelled',
    'whether it has finished its work is unknown. It returned: x',
  ],
  ['that ignores it', forever, 'abandoned', 'is still running'],
])(
  'an abort ends the call of a handler %s within 50 ms, and the text says what became of it',
  async (_, handler, outcome, text) => {
    verifies('tools.execute.abort', 'tools.execute.abort.late');
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const registry = createRegistry([simple('a', {}, handler)]);
    for (const via of ['call', 'execute'] as const) {
      const stop = new AbortController();
      const before = registry.abandoned;
      const running =
        via === 'call'
          ? callTool(registry, toolCall('a'), { signal: stop.signal })
          : registry.execute('a', {}, { signal: stop.signal });
      let ended = false;
      void running.then(() => (ended = true));
      // oxlint-disable-next-line no-await-in-loop
      await vi.advanceTimersByTimeAsync(5);
      expect(ended).toBe(false);
      stop.abort(new Error('user left'));
      // oxlint-disable-next-line no-await-in-loop
      await vi.advanceTimersByTimeAsync(49);
      expect(ended).toBe(true);
      // oxlint-disable-next-line no-await-in-loop
      const result = await running;
      expect(codeAndOutcome(result)).toBe(`TOOL_CANCELLED ${outcome}`);
      expect(result.forLLM).toContain(text);
      expect(registry.abandoned - before).toBe(outcome === 'abandoned' ? 1 : 0);
    }
  },
);

test('an aborted signal starts no handler', async () => {
  verifies('tools.execute.abort.before');
  let entered = false;
  const registry = createRegistry([simple('a', {}, () => (entered = true))]);
  const result = await registry.execute('a', {}, { signal: AbortSignal.abort() });
  expect([codeAndOutcome(result), entered]).toEqual(['TOOL_CANCELLED cancelled', false]);
  expect(result.forLLM).toContain('before it started');
});

test('concurrent calls of one tool each get their own context', async () => {
  verifies('tools.execute.context');
  const registry = createRegistry([
    simple('who', {}, async (_, given) => {
      const { callId, toolName, conversation, idempotencyKey, signal } = given;
      await wait(5);
      given.onProgress?.(`${callId} at work`);
      return { callId, toolName, chat: conversation?.chatId ?? '', key: idempotencyKey ?? '', live: !signal.aborted };
    }),
  ]);
  const heard: string[] = [];
  const results = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      registry.execute(
        'who',
        {},
        {
          callId: `c${index}`,
          conversation: { channel: 'x', chatId: `chat${index}` },
          idempotencyKey: `k${index}`,
          onProgress: (update) => void heard.push(update),
        },
      ),
    ),
  );
  expect(results.map((result) => result.data)).toEqual(
    Array.from({ length: 20 }, (_, index) => ({
      callId: `c${index}`,
      toolName: 'who',
      chat: `chat${index}`,
      key: `k${index}`,
      live: true,
    })),
  );
  expect(heard).toHaveLength(20);
});

test('a handler that denies gives TOOL_DENIED with its reason', async () => {
  verifies('tools.execute.denied', 'tools.execute.retryable');
  const registry = createRegistry([
    simple('a', {}, () => {
      throw new KernelError('TOOL_DENIED', 'not on Sundays.');
    }),
  ]);
  const result = await registry.execute('a');
  expect([codeAndOutcome(result), result.forLLM]).toEqual(['TOOL_DENIED denied', 'TOOL_DENIED: not on Sundays.']);
  expect(KernelError.is(result.error) && result.error.retryable).toBe(false);
});

test('only timeouts and errors that a handler marks as retryable are retryable', async () => {
  verifies('tools.execute.retryable');
  const registry = createRegistry([
    simple('flaky', {}, () => {
      throw new KernelError('TOOL_FAILED', 'try again', { retryable: true });
    }),
    simple('marked', {}, () => {
      throw Object.assign(new Error('busy'), { retryable: true });
    }),
    simple('broken', {}, () => {
      throw new Error('no');
    }),
  ]);
  const retryable = async (name: string, args: string | object = {}): Promise<boolean> => {
    const { error } = await registry.execute(name, args);
    return KernelError.is(error) && error.retryable;
  };
  expect(
    await Promise.all([
      retryable('flaky'),
      retryable('marked'),
      retryable('broken'),
      retryable('unknown'),
      retryable('broken', '{'),
    ]),
  ).toEqual([true, true, false, false, false]);
});

test('calls are reported with tool, id and duration, and without arguments and results unless `detail` is set', async () => {
  verifies('tools.execute.log', 'tools.execute.coerce');
  const parameters = { type: 'object', properties: { n: { type: 'integer' } } };
  for (const detail of [false, true]) {
    const events: RegistryEvent[] = [];
    const registry = createRegistry([simple('a', { parameters }, (_, given) => given.onProgress?.('half'))], {
      detail,
    });
    registry.onEvent((event) => events.push(event));
    // oxlint-disable-next-line no-await-in-loop
    await registry.execute('a', { n: '5' }, { callId: 'c' });
    expect(events).toEqual([
      { type: 'call-start', name: 'a', callId: 'c', ...(detail ? { arguments: { n: '5' } } : {}) },
      { type: 'call-progress', name: 'a', callId: 'c', update: 'half' },
      {
        type: 'call-end',
        name: 'a',
        callId: 'c',
        durationMs: expect.any(Number) as number,
        isError: false,
        outcome: 'done',
        repairs: [{ path: '/n', from: '5', to: 5, rule: 'string-to-number' }],
        ...(detail
          ? {
              arguments: { n: 5 },
              result: {
                forLLM: 'done\n(Repaired arguments: /n string-to-number.)',
                repairs: [{ path: '/n', from: '5', to: 5, rule: 'string-to-number' }],
              },
            }
          : {}),
      },
    ]);
  }
});

describe('in virtual time', () => {
  skipTime();

  test('the timeout of a handler is the call’s, else the tool’s, else the registry’s, else 30 seconds', async () => {
    verifies('tools.execute.timeout');
    const registry = createRegistry([simple('own', {}, forever, { timeoutMs: 30 }), simple('plain', {}, forever)], {
      timeoutMs: 60,
    });
    const limitOf = async (name: string, timeoutMs?: number): Promise<unknown> => {
      const { error } = await registry.execute(name, {}, { timeoutMs });
      return KernelError.is(error) ? error.data?.['timeoutMs'] : undefined;
    };
    expect(await Promise.all([limitOf('own'), limitOf('plain'), limitOf('own', 10)])).toEqual([30, 60, 10]);
    const slow = createRegistry([simple('slow', {}, () => wait(40).then(() => 'late'), { timeoutMs: 1 })]);
    expect((await slow.execute('slow', {}, { timeoutMs: 0 })).forLLM).toBe('late');
    expect((await slow.execute('slow', {}, { timeoutMs: Infinity })).forLLM).toBe('late');
  });

  test('the strict form resolves to the result, throws the error of a failure, and the reason of an abort', async () => {
    verifies('tools.execute.orThrow', 'tools.execute.abort.throw', 'tools.errors.class');
    const registry = createRegistry([
      simple('ok'),
      simple('bad', {}, () => errorResult('broken')),
      simple('hangs', {}, forever),
    ]);
    expect(await registry.executeOrThrow('ok')).toEqual({ forLLM: 'ok' });
    await expect(registry.executeOrThrow('nothing')).rejects.toMatchObject({ code: 'TOOL_NOT_FOUND' });
    await expect(registry.executeOrThrow('bad')).rejects.toMatchObject({ code: 'TOOL_FAILED', message: 'broken' });
    const stop = new AbortController();
    const reason = new Error('enough');
    const running = registry.executeOrThrow('hangs', {}, { signal: stop.signal });
    stop.abort(reason);
    await expect(running).rejects.toBe(reason);
  });

  test('an async tool returns at once, and its late result is delivered once; further ones are only reported', async () => {
    verifies('tools.execute.async');
    const events: RegistryEvent[] = [];
    const registry = createRegistry([
      simple('job', {}, (_, given) => {
        setTimeout(() => {
          given.onComplete?.({ forLLM: 'finished' });
          given.onComplete?.({ forLLM: 'again' });
        }, 10);
        return asyncResult('started');
      }),
      simple('eager', {}, (_, given) => {
        given.onComplete?.({ forLLM: 'at once' });
        return asyncResult('started');
      }),
      simple('odd', {}, (_, given) => {
        given.onComplete?.({ forLLM: 'nobody asked' });
        return 'plain';
      }),
    ]);
    registry.onEvent((event) => void (event.type === 'call-late' && events.push(event)));
    const lateResults: string[] = [];
    const onComplete = (result: { readonly forLLM: string }): void => void lateResults.push(result.forLLM);
    expect(await registry.execute('job', {}, { onComplete })).toEqual({ forLLM: 'started', async: true });
    expect(lateResults).toEqual([]);
    await wait(25);
    await registry.execute('eager', {}, { onComplete });
    await registry.execute('job', {});
    await registry.execute('odd', {}, { onComplete });
    await wait(25);
    expect(lateResults).toEqual(['finished', 'at once']);
    expect(events.map((event) => event.type === 'call-late' && event.kind)).toEqual([
      'completed',
      'repeated',
      'completed',
      'orphan',
      'orphan',
      'repeated',
    ]);
  });

  test('a retryable failure of a read tool is retried up to its limit, of a write tool never', async () => {
    verifies('tools.execute.retryable');
    const tries = { read: 0, write: 0 };
    const flaky =
      (effect: 'read' | 'write'): (() => string) =>
      () => {
        tries[effect] += 1;
        if (tries[effect] < 3) throw Object.assign(new Error('busy'), { retryable: true });
        return 'ok';
      };
    const registry = createRegistry(
      [simple('r', { effect: 'read' }, flaky('read')), simple('w', { effect: 'write' }, flaky('write'))],
      { retries: 2 },
    );
    expect([(await registry.execute('r')).forLLM, (await registry.execute('w')).code]).toEqual(['ok', 'TOOL_FAILED']);
    expect(tries).toEqual({ read: 3, write: 1 });
  });
});
