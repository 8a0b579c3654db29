/** Runs of every kind, for the readers of other protocols. */
import {
  type AgentEvent,
  KernelError,
  type Provider,
  type ProviderEvent,
  type Toolset,
  type Approve,
} from '@kernel/protocol';
import { mockTool, mockToolset, type ScriptStep, scriptedProvider } from '@kernel/testing';
import * as z from 'zod';
import { agentAsTool, run, type RunOptions } from '../../src/index.ts';
import type { ClientField } from '../../src/web/index.ts';
import { toolsetOf, user } from '../support.ts';

const model = 'm';
const later: Approve = () => ({ decision: 'later' });
const messages = [user('Go')];

export const start = (script: readonly ScriptStep[], options: Partial<RunOptions> = {}): AsyncGenerator<AgentEvent> =>
  run({ provider: scriptedProvider(script), model, messages, system: 'SYSTEM-PROMPT', ...options });

export const tools = (): Toolset =>
  mockToolset([
    mockTool('look', { returns: { forLLM: 'found', data: { at: 3 } } }),
    mockTool('fail', { forLLM: 'SECRET-ERROR', isError: true, code: 'TOOL_FAILED' }),
    mockTool('remove', 'removed', { effect: 'write' }),
  ]);

const streamed = (name: string, id: string, text: string): ProviderEvent[] => [
  { type: 'tool-call-delta', index: 0, id, name, arguments: '' },
  { type: 'tool-call-delta', index: 0, arguments: text.slice(0, 2) },
  { type: 'tool-call-delta', index: 0, arguments: text.slice(2) },
];

/** A provider that withdraws its first try of a reply, as a policy that asks again does. */
const withdrawing: Provider = {
  name: 'again',
  async *stream() {
    yield { type: 'reasoning-delta', text: 'hm' };
    yield { type: 'text-delta', text: 'It is 4' };
    yield { type: 'tool-call-delta', index: 0, id: 'lost', name: 'look', arguments: '{"a"' };
    yield { type: 'reply-withdrawn', code: 'PROVIDER_NETWORK', message: 'SECRET-HOST broke off' };
    yield { type: 'text-delta', text: 'It is 3.' };
    yield {
      type: 'message-end',
      message: { role: 'assistant', content: [{ type: 'text', text: 'It is 3.' }] },
      finishReason: 'stop',
    };
  },
};

export function agent(script: readonly ScriptStep[], inner: Toolset = tools()): Toolset {
  const inside = { provider: scriptedProvider(script), model, tools: inner };
  return toolsetOf([agentAsTool({ name: 'research', description: '', run: inside })]);
}

/** Runs until the first piece of text, and is aborted there. */
async function* aborted(): AsyncGenerator<AgentEvent> {
  const controller = new AbortController();
  const provider: Provider = {
    name: 'slow',
    async *stream({ signal }) {
      yield { type: 'text-delta', text: 'It' };
      yield* streamed('look', 'c1', '{"a":1}');
      await new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
    },
  };
  for await (const event of start([], { provider, signal: controller.signal })) {
    yield event;
    if (event.type === 'tool-call-delta') controller.abort();
  }
}

async function* failing(): AsyncGenerator<AgentEvent> {
  yield { type: 'turn-start', turn: 1, tools: [] };
  yield { type: 'text-delta', text: 'It' };
  throw new KernelError('PROVIDER_NETWORK', 'SECRET-HOST is down');
}

const research = { name: 'research', id: 'r1', arguments: { task: 't' } };

/** A run of each kind, by name. */
const RUNS: Readonly<Record<string, () => AsyncIterable<AgentEvent>>> = {
  text: () => start([{ text: 'It is 3.', pieces: 3 }]),
  'reasoning and text': () => start([{ reasoning: 'Let me see.', text: 'It is 3.', pieces: 2 }]),
  'a reply without deltas': () =>
    start([], {
      provider: {
        name: 'whole',
        async *stream() {
          const content = [{ type: 'text', text: 'It is 3.' }] as const;
          yield { type: 'message-end', message: { role: 'assistant', content }, finishReason: 'stop' };
        },
      },
    }),
  'parallel calls': () =>
    start(
      [
        {
          text: 'Let me look.',
          calls: [
            { name: 'look', arguments: { a: 1 } },
            { name: 'look', arguments: { a: 2 } },
          ],
        },
        { text: 'It is 3.' },
      ],
      { tools: tools() },
    ),
  'repeated call ids': () =>
    start(
      [
        { calls: ['1', '2'].map((a) => ({ name: 'look', id: 'call_0', arguments: { a } })) },
        { calls: [{ name: 'look', id: 'call_0', arguments: { a: '3' } }] },
        { text: 'It is 3.' },
      ],
      { tools: tools() },
    ),
  'a failing tool': () =>
    start([{ calls: [{ name: 'fail' }] }, { calls: [{ name: 'unknown' }] }, { text: 'Sorry.' }], { tools: tools() }),
  'a cut reply': () =>
    start([{ text: 'It is', calls: [{ name: 'look', arguments: { a: 1 } }], finishReason: 'length' }], {
      tools: tools(),
    }),
  'a denied call': () =>
    start([{ calls: [{ name: 'remove' }] }, { text: 'Not done.' }], {
      tools: tools(),
      approve: () => ({ decision: 'deny', reason: 'no' }),
    }),
  'an approval': () =>
    start([{ text: 'I will remove it.', calls: [{ name: 'look' }, { name: 'remove' }] }], {
      tools: tools(),
      approve: later,
    }),
  'an approval within a sub-agent': () =>
    start([{ calls: [research] }], {
      tools: agent([{ calls: [{ name: 'remove', id: 'r1' }] }]),
      approve: ({ path }) => ({ decision: path.length > 0 ? 'later' : 'allow' }),
    }),
  'sub-agents': () =>
    start([{ calls: [research, { ...research, id: 'r2' }] }, { text: 'Done.' }], {
      tools: agent([
        { text: 'First', calls: [{ name: 'look', id: 'r1' }] },
        { calls: [{ name: 'look', id: 'r1' }] },
        { text: 'A' },
        { text: 'B' },
      ]),
    }),
  'typed output': () =>
    start([{ calls: [{ name: 'final_answer', arguments: { city: 'Oslo', degrees: 3 } }] }], {
      output: z.object({ city: z.string(), degrees: z.number() }),
    }),
  'a typed answer that is rejected': () =>
    start([{ text: '{"city":1}', pieces: 3 }, { text: '{"city":2}' }], {
      provider: scriptedProvider([{ text: '{"city":1}', pieces: 3 }, { text: '{"city":2}' }], {
        structuredOutput: 'schema',
      }),
      output: z.object({ city: z.string() }),
    }),
  'an abort': aborted,
  'a withdrawn reply': () => start([], { provider: withdrawing, tools: tools() }),
  'a provider error': () => start([{ error: new KernelError('PROVIDER_HTTP', 'SECRET-HOST said 500') }]),
  'a provider error within a reply': () =>
    start([{ error: new KernelError('PROVIDER_NETWORK', 'SECRET-HOST'), after: streamed('look', 'c1', '{"a":1}') }]),
  'events that fail': failing,
  'a search that the vendor ran': () =>
    start([], {
      provider: {
        name: 'searching',
        async *stream() {
          const call = { type: 'server-tool-call', id: 's', name: 'web_search', arguments: '{"query":"x"}' } as const;
          const sources = [{ url: 'https://a.test', title: 'A' }];
          const found = { type: 'server-tool-result', callId: 's', name: 'web_search', text: 'A', sources } as const;
          const lost = { ...found, callId: 't', isError: true } as const;
          const citation = { url: 'https://a.test', title: 'A' };
          yield call;
          yield found;
          yield { ...call, id: 't' };
          yield lost;
          yield { type: 'text-delta', text: 'It is 3.' };
          yield { type: 'citation', citation };
          const content = [
            call,
            found,
            { ...call, id: 't' },
            lost,
            { type: 'text' as const, text: 'It is 3.', citations: [citation] },
          ];
          yield { type: 'message-end', message: { role: 'assistant', content }, finishReason: 'stop' };
        },
      },
    }),
  'a limit': () => start([{ calls: [{ name: 'look' }] }], { tools: tools(), limits: { turns: 1 } }),
};

/** What the runs must not show unless a server lists it. */
export const SECRETS = ['SYSTEM-PROMPT', 'SECRET-ERROR', 'SECRET-HOST', '"parameters"', 'Mock '];

export const RUN_NAMES = Object.keys(RUNS);

/** Starts the run of a name. */
export function runOf(name: string): AsyncIterable<AgentEvent> {
  const make = RUNS[name];
  if (make === undefined) throw new Error(`There is no run "${name}".`);
  return make();
}

/** Everything that a server can show. */
export const ALL: readonly ClientField[] = [
  'arguments',
  'results',
  'progress',
  'citations',
  'reasoning',
  'usage',
  'sub-agents',
  'errors',
];

/** Each run twice: with nothing shown beyond the default, and with everything. */
export const SHOWN_RUNS = RUN_NAMES.flatMap((name) => [
  [name, 'nothing', []] as const,
  [name, 'everything', ALL] as const,
]);

/** Reads everything. */
export async function listOf<T>(values: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const value of values) list.push(value);
  return list;
}
