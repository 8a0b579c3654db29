import { type AgentEvent, KERNEL_ERROR_CODES, KernelError, type Message, type Tool } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { describe, expect, test } from 'vitest';
import { createMemorySession } from '../../src/index.ts';
import {
  type ClientField,
  toAgUiResponse,
  toResponse,
  toTextResponse,
  toUiMessageStreamResponse,
} from '../../src/web/index.ts';
import { ALL } from './runs.ts';

/** Numbers from 0 up to 1 that are the same in every run. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

type Random = () => number;
const pick = <T>(random: Random, list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
const maybe = (random: Random, fields: object): object => (random() < 0.5 ? fields : {});

/**
 * Every text that an event can hold is marked with what a server has to list to show it: `ALWAYS-hidden` is in no view, `arguments-hidden` in one that
 * shows arguments. Fields of a later version are hidden.
 */
const LATER = { futureField: 'ALWAYS-hidden', meta: { nested: ['ALWAYS-hidden'] } };
const tool = (): Tool => ({
  name: 'look',
  title: 'ALWAYS-hidden',
  description: 'ALWAYS-hidden',
  parameters: { type: 'object', description: 'ALWAYS-hidden', properties: { 'ALWAYS-hidden': {} } },
  outputSchema: { description: 'ALWAYS-hidden' },
  ...LATER,
});
const call = (id: string) => ({
  type: 'tool-call' as const,
  id,
  name: 'look',
  arguments: '{"a":"arguments-hidden"}',
  providerData: 'ALWAYS-hidden',
  ...LATER,
});
const result = (random: Random) =>
  random() < 0.5
    ? {
        forLLM: 'results-hidden',
        ...maybe(random, { forUser: 'results-hidden' }),
        ...maybe(random, { data: { a: 'results-hidden' } }),
        media: [{ type: 'image' as const, mimeType: 'image/png', data: 'ALWAYS-hidden' }],
        repairs: [{ path: '/a', from: 'ALWAYS-hidden', to: 'ALWAYS-hidden', rule: 'r' }],
        error: new Error('ALWAYS-hidden'),
        ...LATER,
      }
    : {
        forLLM: random() < 0.5 ? 'errors-hidden' : '',
        isError: true,
        data: 'ALWAYS-hidden',
        ...maybe(random, { code: pick(random, KERNEL_ERROR_CODES) }),
        error: new Error('errors-hidden', { cause: 'ALWAYS-hidden' }),
        ...LATER,
      };
const assistant = (): Message & { role: 'assistant' } => ({
  role: 'assistant',
  content: [
    { type: 'reasoning', text: 'reasoning-hidden', providerData: 'ALWAYS-hidden' },
    { type: 'text', text: 'shown', ...LATER },
    call('c1'),
    { type: 'opaque', kind: 'ALWAYS-hidden', providerData: 'ALWAYS-hidden' },
    {
      type: 'server-tool-result',
      callId: 's',
      name: 'search',
      text: 'ALWAYS-hidden',
      sources: [{ url: 'ALWAYS-hidden' }],
      providerData: 'ALWAYS-hidden',
    },
  ],
  provider: { vendor: 'ALWAYS-hidden', model: 'ALWAYS-hidden' },
  suspended: [
    { callId: 'c1', digest: 'ALWAYS-hidden', agents: [{ name: 'ALWAYS-hidden', task: 'ALWAYS-hidden', messages: [] }] },
  ],
});
const history = (): Message[] => [
  { role: 'system', content: 'ALWAYS-hidden' },
  {
    role: 'user',
    content: [
      { type: 'text', text: 'shown' },
      { type: 'image', mimeType: 'image/png', data: 'ALWAYS-hidden' },
    ],
  },
  assistant(),
  { role: 'tool', toolCallId: 'c1', name: 'look', content: 'results-hidden', ...LATER },
  { role: 'tool', toolCallId: 'c2', name: 'look', content: 'errors-hidden', isError: true },
];

function anEvent(random: Random, depth = 0): AgentEvent {
  const id = `c${Math.floor(random() * 4)}`;
  const makers: readonly (() => object)[] = [
    () => ({ type: 'text-delta', text: 'shown' }),
    () => ({ type: 'reasoning-delta', text: 'reasoning-hidden' }),
    () => ({
      type: 'tool-call-delta',
      index: Math.floor(random() * 3),
      ...maybe(random, { id, name: 'look' }),
      arguments: 'arguments-hidden',
    }),
    () => ({ type: 'reply-withdrawn', code: 'PROVIDER_NETWORK', message: 'ALWAYS-hidden' }),
    () => ({
      type: 'message-end',
      message: assistant(),
      finishReason: 'stop',
      usage: { inputTokens: 123_456_789, outputTokens: 1 },
      droppedCalls: [{ id: 'ALWAYS-hidden', name: 'ALWAYS-hidden', arguments: 'ALWAYS-hidden', reason: 'other' }],
      warnings: [{ message: 'ALWAYS-hidden', tool: 'ALWAYS-hidden' }],
    }),
    () => ({ type: 'citation', citation: { url: 'citations-hidden', quote: 'citations-hidden', ...LATER } }),
    () => ({
      type: 'server-tool-call',
      id,
      name: 'search',
      arguments: 'arguments-hidden',
      providerData: 'ALWAYS-hidden',
    }),
    () => ({
      type: 'server-tool-result',
      callId: id,
      name: 'search',
      text: 'results-hidden',
      sources: [{ url: 'results-hidden', ...LATER }],
      providerData: 'ALWAYS-hidden',
    }),
    () => ({ type: 'turn-start', turn: 1, tools: [tool()] }),
    () => ({ type: 'turn-end', turn: 1 }),
    () => ({ type: 'tool-start', call: call(id) }),
    () => ({ type: 'tool-progress', callId: id, update: 'progress-hidden' }),
    () => ({ type: 'tool-end', call: call(id), result: result(random), durationMs: 1 }),
    () => ({ type: 'tool-complete', callId: id, result: result(random) }),
    () => ({ type: 'approval-request', call: call(id), tool: tool() }),
    () => ({ type: 'steer', messages: history().map((message) => ({ ...message, content: 'ALWAYS-hidden' })) }),
    () => ({ type: 'output-delta', output: { a: 'shown' } }),
    () => ({ type: 'output-rejected', issues: ['ALWAYS-hidden'] }),
    () => ({ type: 'sub-agent-event', path: ['sub-agents-hidden', id], event: anEvent(random, depth + 1) }),
    () => ({ ...anEnd(random) }),
  ];
  // A run within a run reports no further runs, as the type says.
  const event = pick(random, depth === 0 ? makers : makers.slice(0, -2))();
  return { ...event, ...LATER } as unknown as AgentEvent;
}

function anEnd(random: Random): object {
  const error = new KernelError('PROVIDER_HTTP', 'errors-hidden', {
    hint: 'ALWAYS-hidden',
    data: { body: 'ALWAYS-hidden' },
    cause: new Error('ALWAYS-hidden'),
  });
  const pending = [{ ...call('c1'), tool: tool(), path: [], digest: 'd' }];
  return {
    type: 'run-end',
    turns: 1,
    messages: history(),
    usage: { inputTokens: 123_456_789, outputTokens: 1 },
    ...pick<object>(random, [
      { reason: 'done', answer: 'shown', output: { a: 'shown' } },
      { reason: 'handled', answer: 'shown' },
      { reason: 'length' },
      { reason: 'aborted', answer: 'shown' },
      { reason: 'limit', limit: 'turns' },
      { reason: 'approval', pending },
      { reason: 'error', error },
    ]),
  };
}

async function* many(random: Random): AsyncGenerator<AgentEvent> {
  for (let count = 0; count < 60; count += 1) yield anEvent(random);
  if (random() < 0.3) throw new KernelError('PROVIDER_NETWORK', 'errors-hidden', { hint: 'ALWAYS-hidden' });
}

const readBody = async (response: Response): Promise<string> => {
  let text = '';
  const decoder = new TextDecoder();
  try {
    for await (const chunk of response.body ?? []) text += decoder.decode(chunk);
  } catch {
    // A text breaks off.
  }
  return text;
};

describe('what a client may not see is in no byte', () => {
  test.each<readonly [string, readonly ClientField[]]>([
    ['nothing', []],
    ...ALL.map((field) => [field, [field]] as const),
    ['everything', ALL],
  ])('of a response that shows %s, whatever the events hold', async (_, show) => {
    verifies('web.view');
    const hidden = ['ALWAYS', ...ALL.filter((field) => !show.includes(field))].map((field) => `${field}-hidden`);
    if (!show.includes('usage')) hidden.push('123456789');
    const session = createMemorySession(history().map((message) => ({ type: 'message', message })));
    let all = '';
    for (let seed = 1; seed <= 40; seed += 1) {
      const resume = { session, lastEventId: '0' };
      const texts = await Promise.all([
        readBody(toResponse(many(createRandom(seed)), { show, resume })),
        readBody(toUiMessageStreamResponse(many(createRandom(seed)), { show })),
        readBody(toAgUiResponse(many(createRandom(seed)), { show })),
        readBody(toTextResponse(many(createRandom(seed)))),
      ]);
      for (const text of texts) for (const mark of hidden) expect(text).not.toContain(mark);
      all += texts[0];
    }
    // What is listed is there, so that the marks above would be seen.
    expect(all).toContain('shown');
    for (const field of show) expect(all).toContain(field === 'usage' ? '123456789' : `${field}-hidden`);
  });
});
