import {
  callTool,
  isToolResult,
  KernelError,
  type PreparedCall,
  type RunningCall,
  type Tool,
  toErrorResult,
  type ToolCall,
  toolResult,
  type ToolResult,
  type Toolset,
  wrapCalls,
} from '@kernel/protocol';
import { describe, expect, test } from 'vitest';
import { mockTool, mockToolset, toolsetConformance, type ToolsetUnderTest, verifies } from '../src/index.ts';

const names = { answers: 'answers', throws: 'throws', hangs: 'hangs', stops: 'stops' };
const describeTool = (name: string): Tool => ({
  name,
  description: name,
  parameters: { type: 'object', properties: {} },
});
const list = Object.freeze(Object.values(names).map(describeTool));
const failed = (message: string, outcome?: 'abandoned' | 'cancelled'): ToolResult =>
  toErrorResult(new KernelError('TOOL_FAILED', message), outcome);

let entered = 0;

/** Runs one of the tools. */
function runTool(name: string, { signal }: RunningCall): Promise<ToolResult> {
  if (signal.aborted) return Promise.resolve(failed('not started'));
  entered += 1;
  if (name === 'answers') return Promise.resolve(toolResult('ok'));
  if (name === 'throws') return Promise.resolve(failed('it threw'));
  const outcome = name === 'hangs' ? 'abandoned' : 'cancelled';
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(failed('stopped', outcome))));
}

/** The least toolset that keeps every promise of the port. */
const sound: Toolset = {
  list: () => list,
  prepare({ arguments: text, name }, { signal }) {
    const tool = list.find((each) => each.name === name);
    if (signal.aborted) return failed('not started');
    if (tool === undefined) return failed(`no tool ${name}`);
    if (text.trim() !== '' && !text.startsWith('{}')) return failed('bad arguments');
    return { tool, arguments: '{}', run: (running) => runTool(name, running) };
  },
};

/** The same toolset with other calls. */
const withCalls = (change: (prepared: PreparedCall, call: ToolCall) => PreparedCall | ToolResult): Toolset =>
  wrapCalls(sound, change);
const withPrepare = (prepare: Toolset['prepare']): Toolset => ({ ...sound, prepare });

const subject = (toolset: Toolset) => (): ToolsetUnderTest => ({ toolset, ...names, entered: () => entered });

async function failures(toolset: Toolset): Promise<string[]> {
  const found: string[] = [];
  for (const { name, run } of toolsetConformance(subject(toolset)))
    // oxlint-disable-next-line no-await-in-loop -- one after another, since they count the same handlers
    await Promise.race([run(), hangs()]).catch(() => found.push(name));
  return found;
}

const hangs = () => new Promise<void>((_resolve, reject) => void setTimeout(() => reject(new Error('it hangs')), 300));

describe('a sound toolset', () => {
  for (const { name, run } of toolsetConformance(subject(sound)))
    // oxlint-disable-next-line vitest/expect-expect, vitest/valid-title -- the case has both
    test(name, run);
});

let counter = 0;
/** A call whose `run` is a method that it inherits. */
class InheritedRun implements PreparedCall {
  readonly tool: Tool;
  readonly arguments = '{}';
  constructor(tool: Tool) {
    this.tool = tool;
  }
  run(running: RunningCall): Promise<ToolResult> {
    return runTool(this.tool.name, running);
  }
}

test.each([
  [
    'rejects when a call runs',
    withCalls((prepared) => ({ ...prepared, run: () => Promise.reject(new Error('no')) })),
    'a handler that throws becomes a result',
  ],
  [
    'throws when a call is prepared',
    withPrepare((call, context) => {
      if (call.name === 'no_such_tool') throw new Error('no');
      return sound.prepare(call, context);
    }),
    'a call that cannot run is its failed result',
  ],
  [
    'ignores the abort',
    withCalls((prepared) =>
      prepared.tool.name === 'hangs' ? { ...prepared, run: () => new Promise(() => {}) } : prepared,
    ),
    'handler hangs',
  ],
  ['builds its list anew', { ...sound, list: () => Object.freeze([...list]) }, 'the same frozen array'],
  [
    'lists a handler',
    { ...sound, list: () => Object.freeze([{ ...list[0], run: () => {} } as unknown as Tool, ...list.slice(1)]) },
    'the list holds every tool',
  ],
  [
    'finds tools on the prototype chain',
    withPrepare((call, context) =>
      call.name in {} ? sound.prepare({ ...call, name: 'answers' }, context) : sound.prepare(call, context),
    ),
    'prototype chain',
  ],
  [
    'swallows broken arguments',
    withPrepare((call, context) => sound.prepare({ ...call, arguments: '{}' }, context)),
    'not valid JSON',
  ],
  [
    'starts after an abort',
    withPrepare(async (call) => {
      const { signal } = new AbortController();
      const prepared = await sound.prepare(call, { signal });
      return isToolResult(prepared) ? prepared : { ...prepared, run: () => prepared.run({ signal }) };
    }),
    'an aborted signal starts nothing',
  ],
  [
    'runs what it prepares at once',
    withCalls((prepared) => {
      const { signal } = new AbortController();
      const running = prepared.run({ signal });
      return { ...prepared, run: () => running };
    }),
    'prepare runs nothing',
  ],
  [
    'makes other arguments of the same call each time',
    withCalls((prepared) => ({ ...prepared, arguments: `{"at":${(counter += 1)}}` })),
    'gives the same tool and arguments each time',
  ],
  [
    'finds out when a call runs that its tool is unknown',
    withPrepare((call, context) => {
      const prepared = sound.prepare(call, context);
      if (!isToolResult(prepared)) return prepared;
      return { tool: { ...list[0], name: call.name } as Tool, arguments: '{}', run: () => Promise.resolve(prepared) };
    }),
    'a call that cannot run is its failed result',
  ],
  [
    'runs a prepared call once only',
    withCalls((prepared) => {
      let running: Promise<ToolResult> | undefined;
      return {
        ...prepared,
        run(given) {
          if (running !== undefined) return Promise.resolve(failed('it has run'));
          running = prepared.run(given);
          return running;
        },
      };
    }),
    'what is prepared runs once more',
  ],
  [
    'says that it awaits started, and does not',
    withCalls((prepared) => ({ ...prepared, awaitsStarted: true })),
    '`started` is awaited once',
  ],
  [
    'awaits started after its handler',
    withCalls((prepared) => ({
      ...prepared,
      awaitsStarted: true,
      async run(running) {
        const result = await prepared.run(running);
        await running.started?.();
        return result;
      },
    })),
    '`started` is awaited once',
  ],
  [
    'awaits started as others do for it',
    withCalls((prepared) => ({
      ...prepared,
      async run(running) {
        await running.started?.();
        return prepared.run(running);
      },
    })),
    '`started` is awaited once',
  ],
  [
    'runs without its record',
    withCalls((prepared) => ({
      ...prepared,
      awaitsStarted: true,
      async run(running) {
        await Promise.resolve(running.started?.()).catch(() => {});
        return prepared.run(running);
      },
    })),
    '`started` is awaited once',
  ],
  [
    'makes calls that lose their run in a wrapper',
    withCalls((prepared) => new InheritedRun(prepared.tool)),
    'a spread and a wrapper of calls',
  ],
] as [string, Toolset, string][])('the suite catches a toolset that %s', async (_name, broken, caught) => {
  expect((await failures(broken)).some((name) => name.includes(caught))).toBe(true);
});

type Notify = (listeners: ReadonlySet<() => void>, change: () => void) => void;

const notify: Notify = (listeners, change) => {
  change();
  for (const listener of listeners) listener();
};

/** The sound toolset with a list that changes. */
function changing(tell: Notify, unsubscribes: boolean): ToolsetUnderTest {
  const listeners = new Set<() => void>();
  let current: readonly Tool[] = list;
  const toolset: Toolset = {
    ...sound,
    list: () => current,
    subscribe(listener) {
      listeners.add(listener);
      return () => void (unsubscribes && listeners.delete(listener));
    },
  };
  return { toolset, ...names, change: () => tell(listeners, () => (current = Object.freeze([...current]))) };
}

test.each<[string, Notify, boolean, readonly string[]]>([
  ['keeps its promises', notify, true, []],
  ['calls no listener', (_listeners, change) => change(), true, ['was not called']],
  [
    'calls a listener early',
    (all, change) => notify(all, () => setImmediate(change)),
    true,
    ['before the list had changed'],
  ],
  ['keeps a listener', notify, false, ['after it had unsubscribed']],
])('a changing toolset that %s is seen', async (_name, tell, unsubscribes, messages) => {
  const cases = toolsetConformance(() => changing(tell, unsubscribes));
  const outcomes = await Promise.allSettled(cases.map(({ run }) => run()));
  const errors = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [String(outcome.reason)] : []));
  expect(errors).toEqual(messages.map((message): unknown => expect.stringContaining(message)));
});

test('the suite finds nothing in a sound toolset whose handlers are not visible', async () => {
  const cases = toolsetConformance(() => ({ toolset: sound, ...names }));
  const outcomes = await Promise.allSettled(cases.map(({ run }) => run()));
  expect(outcomes.filter(({ status }) => status === 'rejected')).toEqual([]);
});

test('a mock tool records its calls and returns, delays, hangs or throws as told', async () => {
  verifies('mocks.tool');
  const toolset = mockToolset([
    mockTool('returns', 'text'),
    mockTool('delays', { delayMs: 5, returns: { forLLM: 'late' } }),
    mockTool('hangs', { hangs: true }),
    mockTool('throws', { throws: new Error('told so') }),
  ]);
  const call = (name: string) =>
    callTool(
      toolset,
      { type: 'tool-call', id: name, name, arguments: '{}' },
      { signal: new AbortController().signal, idempotencyKey: name },
    );
  expect(await call('returns')).toEqual({ forLLM: 'text' });
  expect(await call('delays')).toEqual({ forLLM: 'late' });
  await expect(call('throws')).rejects.toThrow('told so');
  expect(await call('nothing')).toMatchObject({ isError: true, code: 'TOOL_NOT_FOUND' });
  const hanging = call('hangs');
  expect(await Promise.race([hanging, new Promise((resolve) => setTimeout(() => resolve('still'), 10))])).toBe('still');
  expect(toolset.calls.map(({ name }) => name)).toEqual(['returns', 'delays', 'throws', 'hangs']);
  expect(toolset.contexts.map(({ idempotencyKey }) => idempotencyKey)).toEqual(toolset.calls.map(({ name }) => name));
  expect(toolset.running).toBe(1);
});

test('a mock tool that is prepared has not been called', async () => {
  verifies('mocks.tool');
  const toolset = mockToolset([mockTool('look', 'x')]);
  const { signal } = new AbortController();
  const call = { type: 'tool-call', id: '1', name: 'look', arguments: '{}' } as const;
  expect(toolset.prepare(call, { signal })).toMatchObject({ tool: { name: 'look' }, arguments: '{}' });
  expect(toolset.calls).toEqual([]);
});
