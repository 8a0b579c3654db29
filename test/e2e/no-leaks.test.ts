/* oxlint-disable no-await-in-loop -- one scenario after another: what is left behind is counted after each */
import { getEventListeners } from 'node:events';
import { run, type RunOptions } from '@kernel/agent';
import type { AgentEvent, Message, Provider } from '@kernel/protocol';
import {
  failingProvider,
  mockTool,
  mockToolset,
  type RawReply,
  type ScriptStep,
  scriptedProvider,
  verifies,
  type WireName,
  type WireReply,
} from '@kernel/testing';
import { expect, onTestFinished, test } from 'vitest';
import { setUpWire, WIRES_OVER_ALL } from './wires.ts';

const messages: readonly Message[] = [{ role: 'user', content: 'Go' }];
const timeouts = { connectMs: 1000, firstByteMs: 40, idleMs: 40, totalMs: 400 };
const TIME_MS = 1000;
/** What a run may take beyond its clocks on a machine that is busy. */
const SLACK_MS = 5000;

const tools = mockToolset([
  mockTool('quick', 'ok'),
  mockTool('slow', { delayMs: 5 }),
  mockTool('throws', { throws: new TypeError('broken') }),
  mockTool('waits', { hangs: 'until-abort' }),
  mockTool('hangs', { hangs: true }),
]);
const calls = [...tools.list(), { name: 'unknown' }].map(({ name }) => ({ name }));
const quick = [{ name: 'quick' }, { name: 'slow' }, { name: 'throws' }, { name: 'unknown' }];
const reply = { reasoning: 'Hm.', text: 'Let me look.', calls: quick, usage: { inputTokens: 1, outputTokens: 1 } };

/** Every fault that the wire server can be told, at the head, in the middle and at the end of a reply. */
const FAULTS: readonly (readonly [string, readonly (WireReply | RawReply)[]])[] = [
  ...[0, 60, 100_000].flatMap((at) =>
    (['cutAfter', 'resetAfter', 'stallAfter'] as const).map(
      (kind) => [`${kind} ${at}`, [{ ...reply, fault: { [kind]: at } }]] as const,
    ),
  ),
  ...(['reset', 'stall'] as const).map((how) => [`before the head: ${how}`, [{ fault: { beforeHead: how } }]] as const),
  ['pieces that come late', [{ ...reply, fault: { splitAt: [1, 7, 30, 90], delayMs: 2 } }]],
  ...(['stop', 'tool-calls', 'length', 'content-filter', 'refusal', 'other'] as const).map(
    (finishReason) => [`the finish ${finishReason}`, [{ ...reply, finishReason }]] as const,
  ),
  ['nothing said', [{}]],
  ['a call that never ends', [{ calls }]],
  ['calls in every turn', Array.from({ length: 9 }, () => reply)],
  ...[204, 301, 401, 503].map((status) => [`${status}`, [{ status, chunks: ['no'] }]] as const),
  ...['', '<html>', '{}', '{"error":{"message":"broke"}}', 'data: {"error":', '\0\0\0\u0010'].map(
    (body) => [`the body ${JSON.stringify(body)}`, [{ chunks: [body] }]] as const,
  ),
  ['keep-alives without end', [{ chunks: Array.from({ length: 40 }, () => [': here\n\n', { waitMs: 5 }]).flat() }]],
];

/** What a scripted provider can be told, on no wire. */
const SCRIPTS: readonly (readonly [string, readonly ScriptStep[]])[] = [
  ['a reply in pieces', [{ ...reply, pieces: 5 }, { chunks: ['a', 'b'] }]],
  ['a late reply', [{ text: 'late', delayMs: 20 }]],
  ['a reply that hangs', [{ ...reply, hang: true }]],
  ['a failure after events', [{ error: new Error('broke'), after: [{ type: 'text-delta', text: 'a' }] }]],
  ['calls that never end', [{ calls }]],
  ['a reply that was cut', [{ text: 'a', finishReason: 'length' }]],
  ['a filtered reply', [{ text: 'a', finishReason: 'content-filter' }]],
  ['a script that runs out', [reply]],
  ['a step of another kind', [{ embeddings: [[1]] }]],
];

/**
 * Every wire but Azure, whose bytes are those of chat completions; over `fetch`, whose bytes the same decoders read,
 * one for each framing.
 */
const FRAMINGS: ReadonlySet<WireName> = new Set(['openai', 'ollama', 'bedrock']);
const SWEPT = WIRES_OVER_ALL.filter(
  ([wire, transport]) => (transport === 'undici' && wire !== 'azure') || FRAMINGS.has(wire),
);

/** How a run is ended: by itself, by its caller, by its limit of time, by a reader who leaves. */
const ENDS = ['alone', 'abort', 'time', 'leave'] as const;

/** How the runs ended. */
const reasons = new Set<string>();

/** Reads one run and says what was wrong with it: not one run-end, too late, or a listener left. */
async function problemsOf(options: Pick<RunOptions, 'provider' | 'stream'>, end: (typeof ENDS)[number]) {
  const stop = new AbortController();
  const abort = end === 'abort' ? setTimeout(() => stop.abort(new Error('stop')), 10) : undefined;
  const timeMs = end === 'time' ? 15 : TIME_MS;
  const seen: AgentEvent['type'][] = [];
  let isLate = false;
  // A timer of this process, which a busy machine delays as it delays the run.
  const late = setTimeout(() => (isLate = true), timeMs + SLACK_MS);
  const limits = { timeMs, turns: 5 };
  // The caller's own hanging tools are ended by an abort: those alone would wait for the limit of time.
  for await (const event of run({ ...options, model: 'a-model', messages, tools, limits, signal: stop.signal })) {
    seen.push(event.type);
    if (event.type === 'run-end') reasons.add(event.reason);
    if (end === 'leave' && seen.length === 3) break;
    if (end === 'alone' && event.type === 'tool-start' && event.call.name === 'hangs') stop.abort(new Error('stop'));
  }
  clearTimeout(late);
  clearTimeout(abort);
  const ends = seen.filter((type) => type === 'run-end').length;
  return [
    ...(end === 'leave' || (ends === 1 && seen.at(-1) === 'run-end') ? [] : [`${ends} run-ends: ${seen.join()}`]),
    ...(isLate ? [`took more than ${timeMs + SLACK_MS} ms`] : []),
    ...(getEventListeners(stop.signal, 'abort').length === 0 ? [] : ['a listener is left on the signal']),
  ];
}

async function sweep(
  subjects: readonly (readonly [string, () => Provider])[],
  streams: readonly boolean[] = [true, false],
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const [name, make] of subjects) {
    for (const end of ENDS) {
      for (const stream of streams) {
        const problems = await problemsOf({ provider: make(), stream }, end);
        found.push(...problems.map((problem) => `${name}, ended by ${end}, stream ${stream}: ${problem}`));
      }
    }
  }
  return found;
}

/** Sweeps one wire, and looks at the sockets of its server. */
async function sweepWire([wire, transport, config]: (typeof WIRES_OVER_ALL)[number]): Promise<readonly string[]> {
  let script: readonly (WireReply | RawReply)[] = [];
  let at = 0;
  const { server, options } = await setUpWire(
    [wire, config],
    () => {
      const next = script[at] ?? { text: 'Done.' };
      at += 1;
      return next;
    },
    { timeouts, connections: 2 },
  );
  const subjects = FAULTS.map(([name, replies]) => {
    const make = (): Provider => {
      [script, at] = [replies, 0];
      return options.provider;
    };
    return [`${wire} over ${transport}, ${name}`, make] as const;
  });
  // A whole reply arrives over a transport as a stream does.
  const found = await sweep(subjects, transport === 'undici' ? [true, false] : [true]);
  // Two connections may stand by; those of stalled and given-up replies are closed.
  await expect.poll(() => server.connections.open).toBeLessThanOrEqual(2);
  await server.close();
  return found;
}

function sweepScripts(): Promise<readonly string[]> {
  const scripted = SCRIPTS.map(([name, script]) => [name, () => scriptedProvider(script)] as const);
  return sweep([...scripted, ['a failing provider', () => failingProvider(new Error('broke'))]]);
}

test('after every scripted scenario on every wire and each framing of a transport nothing hangs, and no timer, listener, socket or rejection is left', async () => {
  verifies('agent.loop.events', 'agent.loop.abort', 'providers.timeouts', 'providers.stream.abort');
  verifies('architecture.clean');
  const strays: unknown[] = [];
  const onStray = (reason: unknown): void => void strays.push(reason);
  process.on('unhandledRejection', onStray);
  onTestFinished(() => void process.off('unhandledRejection', onStray));
  const before = process.getActiveResourcesInfo().toSorted();
  // At once: most of the time is waiting.
  const found = await Promise.all([sweepScripts(), ...SWEPT.map(sweepWire)]);
  expect(found.flat()).toEqual([]);
  expect([...reasons].toSorted()).toEqual(['aborted', 'done', 'error', 'filtered', 'length', 'limit']);
  await expect.poll(() => process.getActiveResourcesInfo().toSorted()).toEqual(before);
  expect(strays).toEqual([]);
});
