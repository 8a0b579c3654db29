import { verifies } from '@kernel/testing';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { openRestate, type RestateRuns } from '../src/index.ts';

const urls = { ingressUrl: 'http://127.0.0.1:8080/', adminUrl: 'http://127.0.0.1:9070' };
const messages = [{ role: 'user', content: 'Go' }] as const;

/** Runs of an agent behind a `fetch` that answers as told and writes down what it was asked. */
function runsBehind(answer: (url: string) => Response | Promise<Response>) {
  const asked: { readonly url: string; readonly init: RequestInit | undefined }[] = [];
  const send = (async (url: string, init?: RequestInit) => {
    asked.push({ url, init });
    return answer(url);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- all of fetch that is used
  }) as unknown as typeof fetch;
  const runs = openRestate({
    agent: 'support',
    ...urls,
    headers: { authorization: 'Bearer secret-token' },
    fetch: send,
  });
  return { runs, asked };
}

test('a run is started at the ingress, with the headers of the caller and a delay', async () => {
  verifies('restate.verbs');
  const { runs, asked } = runsBehind(() => Response.json({ invocationId: 'inv_1', status: 'Accepted' }));
  expect(await runs.start('a/b?c', { messages, at: new Date(Date.now() + 10_000) })).toBe(true);
  expect(asked[0]?.url).toMatch(/^http:\/\/127\.0\.0\.1:8080\/support\/a%2Fb%3Fc\/run\/send\?delay=\d+ms$/);
  expect(asked[0]?.init?.headers).toMatchObject({ authorization: 'Bearer secret-token' });
});

test('ids are literals in queries, whatever they hold', async () => {
  verifies('restate.verbs');
  const { runs, asked } = runsBehind(() => Response.json({ rows: [] }));
  expect(await runs.status("x' OR '1' = '1")).toBeUndefined();
  for (const { init } of asked) expect(JSON.stringify(init)).toContain("'x'' OR ''1'' = ''1'");
});

test('a server that is away or refuses is an error that says so, without secrets', async () => {
  verifies('restate.verbs');
  const away = runsBehind(() => Promise.reject(new TypeError('fetch failed')));
  const failure = await away.runs.cancel('x').catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: 'STORE_FAILED', retryable: true });
  expect(JSON.stringify(failure)).not.toContain('secret-token');
  const refusing = runsBehind(() => new Response('service "support" not found', { status: 404 }));
  await expect(refusing.runs.cancel('x')).rejects.toMatchObject({
    code: 'STORE_FAILED',
    retryable: false,
    hint: 'Is a deployment with this agent registered?',
  });
  const stopped = AbortSignal.abort(new Error('stopped'));
  await expect(away.runs.result('x', { signal: stopped })).rejects.toThrow('stopped');
});

test('options that are missing or unknown are refused at once', () => {
  verifies('restate.verbs');
  expect(() => openRestate({ agent: '', ...urls })).toThrow('without agent');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  expect(() => openRestate({ agent: 'a', ...urls, ingress: 'x' } as never)).toThrow('ingress');
});

test.each([
  ['completed', 'failed too long ago'],
  ['running', 'it is queued'],
])('a run whose invocation is %s cannot be retried, and the error says why', async (status, reason) => {
  verifies('restate.retry');
  const row = { id: 'inv_1', target_service_key: 'x', status, created_at: '2026-01-01', modified_at: '2026-01-01' };
  const { runs, asked } = runsBehind(() => Response.json({ rows: [row] }));
  await expect(runs.retry('x')).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: expect.stringContaining(reason),
  });
  expect(asked.every(({ url }) => url.endsWith('/query'))).toBe(true);
});

test('what no run can use is refused before anything is sent', async () => {
  verifies('restate.verbs');
  const sent: unknown[] = [];
  const runs = openRestate({
    agent: 'support',
    ingressUrl: 'http://127.0.0.1:1',
    adminUrl: 'http://127.0.0.1:2',
    fetch: (input) => {
      sent.push(input);
      return Promise.reject(new Error('sent'));
    },
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as JavaScript may call it
  const loose = runs as unknown as Readonly<Record<string, (...given: readonly unknown[]) => Promise<unknown>>>;
  const calls: readonly (readonly [string, readonly unknown[]])[] = [
    ['start', ['x', { messages, agent: 'support' }]],
    ['start', ['', { messages }]],
    ['start', ['x', { messages: ['Hi'] }]],
    ['start', ['x', { messages, input: { run: () => 1 } }]],
    ['start', ['x', { messages, at: new Date(Number.NaN) }]],
    ['list', [{ status: 'over' }]],
    ['list', [{ limit: 0 }]],
    ['status', ['a'.repeat(401)]],
    ['waiting', [7]],
    ['decide', ['x', '', { decision: 'allow' }]],
    ['decide', ['x', 'c1', { decision: 'later' }]],
    ['resolveOutcome', ['x', 'c1', 'rety']],
    ['steer', ['x', null]],
    ['steer', ['x', 'Hi', { after: 'never' }]],
    ['stop', ['']],
    ['cancel', ['\uD800']],
    ['purge', [{ olderThanMs: 1 }]],
    ['purge', [{ ids: 'x' }]],
  ];
  for (const [verb, given] of calls) {
    const call = Promise.resolve(loose[verb]?.(...given));
    await expect(call, `${verb} ${JSON.stringify(given)}`).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  }
  await expect(runs.events('x', { after: -1 }).next()).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  expect(sent).toEqual([]);
});

describe('a server that restarts', () => {
  const row = {
    id: 'inv_1',
    target_service_key: 'x',
    status: 'running',
    created_at: '2026-01-01',
    modified_at: '2026-01-01',
  };
  /** What each of its verbs reads first. */
  const reads: Readonly<Record<string, (runs: RestateRuns) => Promise<unknown>>> = {
    status: (runs) => runs.status('x'),
    list: (runs) => runs.list(),
    waiting: (runs) => runs.waiting(),
    result: (runs) => runs.result('none'),
    events: (runs) => runs.events('x', { follow: false }).next(),
    purge: (runs) => runs.purge(),
    retry: (runs) => runs.retry('x'),
  };
  const failures: Readonly<Record<string, () => Response | Promise<Response>>> = {
    'refuses connections': () => Promise.reject(new TypeError('fetch failed')),
    'has no leader yet': () => new Response('node N1:2 was shut down or removed', { status: 500 }),
    'ends its answer in the middle': () => new Response(failing()),
  };
  const failing = (): ReadableStream =>
    new ReadableStream({ start: (body) => body.error(new TypeError('terminated')) });
  const answer = (url: string): Response => {
    if (url.endsWith('/query')) return Response.json({ rows: [row] });
    if (url.endsWith('/output')) return new Response(null, { status: 404 });
    return Response.json(url.endsWith('/events') ? null : {});
  };
  const settled = (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      (value) => value,
      (error: unknown) => error,
    );

  test.each(Object.entries(reads))('is waited for by %s, which answers as if nothing had happened', async (_, read) => {
    verifies('restate.restart');
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const expected = await settled(read(runsBehind(answer).runs));
    for (const [why, fail] of Object.entries(failures)) {
      let isAway = true;
      const { runs, asked } = runsBehind((url) => (isAway ? fail() : answer(url)));
      const outcome = settled(read(runs));
      await vi.advanceTimersByTimeAsync(5_000);
      isAway = false;
      await vi.advanceTimersByTimeAsync(2_000);
      expect(await outcome, `it ${why}`).toEqual(expected);
      expect(asked.length, `it ${why}`).toBeGreaterThan(3);
    }
  });

  test('is given up after ten seconds, with the last failure and its cause', async () => {
    verifies('restate.restart');
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { runs, asked } = runsBehind(() => Promise.reject(new TypeError('fetch failed')));
    const outcome = settled(runs.list());
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await outcome).toMatchObject({ code: 'STORE_FAILED', retryable: true, cause: { message: 'fetch failed' } });
    expect(vi.getTimerCount()).toBe(0);
    expect(asked.length).toBeLessThan(40);
  });

  test('is not believed while its partitions catch up: an answer behind a failure counts once the next one is the same', async () => {
    verifies('restate.restart');
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    let count = 0;
    const { runs } = runsBehind(() => {
      count += 1;
      if (count <= 2) return new Response('no leader', { status: 500 });
      return Response.json({ rows: count <= 4 ? [] : [row] });
    });
    const outcome = settled(runs.list());
    await vi.advanceTimersByTimeAsync(3_000);
    expect(await outcome).toMatchObject([{ id: 'x' }]);
  });

  test('a wait of minutes before its loss does not shorten the time that it is given to come back', async () => {
    verifies('restate.restart');
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    let first = true;
    const { runs } = runsBehind(async (url) => {
      if (!first) return answer(url);
      first = false;
      await new Promise((resolve) => setTimeout(resolve, 60_000));
      throw new TypeError('terminated');
    });
    const outcome = settled(runs.result('none'));
    await vi.advanceTimersByTimeAsync(61_000);
    expect(await outcome).toMatchObject({ code: 'CONFIG_INVALID' });
  });

  test('is not asked twice to change something', async () => {
    verifies('restate.restart');
    const { runs, asked } = runsBehind(() => Promise.reject(new TypeError('fetch failed')));
    const writes = [
      () => runs.start('x', { messages }),
      () => runs.decide('x', 'c1', { decision: 'allow' }),
      () => runs.resolveOutcome('x', 'c1', 'tell'),
      () => runs.steer('x', { role: 'user', content: 'Hi' }),
      () => runs.stop('x'),
      () => runs.cancel('x'),
    ];
    for (const [index, write] of writes.entries()) {
      await expect(write()).rejects.toMatchObject({ code: 'STORE_FAILED', retryable: true });
      expect(asked).toHaveLength(index + 1);
    }
  });

  test('a signal ends the wait with its reason', async () => {
    verifies('restate.restart');
    const { runs } = runsBehind(() => Promise.reject(new TypeError('fetch failed')));
    const stopping = new AbortController();
    const outcome = settled(runs.result('x', { signal: stopping.signal }));
    stopping.abort(new Error('stopped'));
    expect(await outcome).toMatchObject({ message: 'stopped' });
  });
});

test('an answer that is not JSON, such as a page of a proxy, is an error that says so', async () => {
  verifies('restate.verbs');
  const { runs } = runsBehind(() => new Response('<html>'));
  await expect(runs.cancel('x')).rejects.toMatchObject({
    code: 'STORE_FAILED',
    message: expect.stringContaining('not valid JSON'),
  });
});
