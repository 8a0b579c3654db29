import assert from 'node:assert/strict';
import {
  type CallContext,
  callTool,
  isToolName,
  isToolResult,
  type PreparedCall,
  type Tool,
  type ToolCall,
  type ToolResult,
  type Toolset,
  wrapCalls,
  wrapToolset,
} from '@kernel/protocol';
import { type ConformanceCase, withSubject } from './case.ts';

/** A toolset under test. It offers at least four tools without required arguments, under these names. */
export interface ToolsetUnderTest {
  /** The toolset. */
  readonly toolset: Toolset;
  /** A tool that answers at once; the `forLLM` of its result contains `ok`. */
  readonly answers: string;
  /** A tool whose handler throws. */
  readonly throws: string;
  /** A tool whose handler never settles and ignores its signal: an aborted call of it is `abandoned`. */
  readonly hangs: string;
  /** A tool whose handler settles when its signal aborts: such a call is `cancelled`. */
  readonly stops: string;
  /**
   * Whether the handlers run in another process. Then it is not visible whether one stopped on an abort, and both outcomes count as `cancelled`.
   */
  readonly isRemote?: boolean;
  /** Counts how often a handler was entered. Absent where that is not visible. */
  entered?(): number;
  /** Changes the list of tools. Leave it out if the list never changes: then calls of listeners are not tested. */
  change?(): void | Promise<void>;
  /** Releases what was set up for it. */
  close?(): Promise<void>;
}

/** How soon after an abort a call must settle, in timers of a millisecond: a machine that is busy delays these just the same. */
const SETTLE_MS = 50;

/** Returns the behaviors that every `Toolset` must have, whatever implements it. `make` is called for each of them. */
export function toolsetConformance(
  make: () => ToolsetUnderTest | Promise<ToolsetUnderTest>,
): readonly ConformanceCase[] {
  const check = (name: string, body: (subject: ToolsetUnderTest) => Promise<void>): ConformanceCase => ({
    name,
    run: () => withSubject(make, body),
  });
  return [
    check(
      'the list holds every tool with a legal name, a description and an object schema',
      async ({ toolset, ...names }) => {
        const list = toolset.list();
        for (const name of [names.answers, names.throws, names.hangs, names.stops])
          assert.ok(
            list.some((tool) => tool.name === name),
            `"${name}" is not in the list`,
          );
        for (const tool of list) assertTool(tool);
      },
    ),
    check('the list is the same frozen array until something changes', async ({ toolset }) => {
      assert.equal(toolset.list(), toolset.list());
      assert.ok(Object.isFrozen(toolset.list()), 'the list is not frozen');
    }),
    check('a call answers with a result', async ({ toolset, answers }) => {
      const result = await callTool(toolset, toCall(answers), quietContext());
      assert.ok(isToolResult(result));
      assert.notEqual(result.isError, true, result.forLLM);
      assert.match(result.forLLM, /ok/);
    }),
    check('a handler that throws becomes a result, not a rejection', async ({ toolset, throws }) => {
      await assertFailure(callTool(toolset, toCall(throws), quietContext()));
    }),
    check('an unknown tool becomes a result that names it', async ({ toolset }) => {
      const result = await assertFailure(callTool(toolset, toCall('no_such_tool'), quietContext()));
      assert.match(result.forLLM, /no_such_tool/);
    }),
    check('names of the prototype chain are unknown tools', async ({ toolset }) => {
      for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty'])
        await assertFailure(callTool(toolset, toCall(name), quietContext()));
    }),
    check('prepare runs nothing, and gives the same tool and arguments each time', async (subject) => {
      const { toolset, answers } = subject;
      const before = subject.entered?.();
      const [first, second] = [await prepared(toolset, answers), await prepared(toolset, answers)];
      assert.equal(first.tool.name, answers);
      assert.deepEqual(JSON.parse(first.arguments), {});
      assert.deepEqual([second.tool, second.arguments], [first.tool, first.arguments]);
      assert.equal(subject.entered?.(), before, 'a handler was entered');
      const result = await first.run(quietContext());
      assert.ok(isToolResult(result));
      assert.match(result.forLLM, /ok/);
    }),
    check('a call that cannot run is its failed result when it is prepared', async ({ toolset }) => {
      const unknown: unknown = await toolset.prepare(toCall('no_such_tool'), quietContext());
      assert.ok(isToolResult(unknown), 'an unknown tool is not a failed result');
      assert.equal(unknown.isError, true);
    }),
    check('what is prepared runs once more as the same call', async ({ toolset, answers }) => {
      const once = await prepared(toolset, answers);
      const results = await Promise.all([once.run(quietContext()), once.run(quietContext())]);
      for (const result of results) assert.match(result.forLLM, /ok/);
    }),
    check('`started` is awaited once and before the handler, whoever awaits it', async (subject) => {
      const { toolset, answers, throws } = subject;
      for (const name of [answers, throws]) {
        const before = subject.entered?.();
        const seen: unknown[] = [];
        const started = () => void seen.push(subject.entered?.());
        // oxlint-disable-next-line no-await-in-loop -- one call after another
        await callTool(toolset, toCall(name), { ...quietContext(), started });
        assert.deepEqual(seen, [before], 'it was not called once, before the handler');
      }
      const before = subject.entered?.();
      const refused = callTool(toolset, toCall(answers), { ...quietContext(), started: notRecorded });
      const failed = await refused.then(({ isError }) => isError).catch(() => true);
      assert.ok(failed, 'it ran without its record');
      assert.equal(subject.entered?.(), before, 'the handler was entered without its record');
    }),
    check('a spread and a wrapper of calls keep the policy of the toolset, and its calls', async (subject) => {
      const { toolset, answers } = subject;
      const denied = { forLLM: 'denied', isError: true, outcome: 'denied' } as const;
      const guarded = wrapCalls(toolset, () => denied);
      const turn = { turn: 1, signal: new AbortController().signal };
      for (const tools of [{ ...guarded }, wrapToolset(guarded, {}), wrapCalls(guarded, (each) => each)]) {
        // oxlint-disable-next-line no-await-in-loop -- one call after another
        await tools.listFor?.(turn);
        // oxlint-disable-next-line no-await-in-loop -- one call after another
        assert.deepEqual(await tools.prepare(toCall(answers), { ...quietContext(), turn }), denied);
      }
      const wrapped = wrapCalls(toolset, (each) => ({ ...each }));
      assert.match((await callTool(wrapped, toCall(answers), quietContext())).forLLM, /ok/);
    }),
    check('argument text that is not valid JSON becomes a result', async ({ toolset, answers }) => {
      for (const text of ['{"a":', 'not json', '[1]', '42', 'null x'])
        await assertFailure(callTool(toolset, toCall(answers, text), quietContext()));
    }),
    check('blank argument text counts as no arguments', async ({ toolset, answers }) => {
      const result = await callTool(toolset, toCall(answers, ' '), quietContext());
      assert.notEqual(result.isError, true, `the arguments " " were refused: ${result.forLLM}`);
    }),
    check('an aborted signal starts nothing and gives a result', async ({ toolset, answers }) => {
      await assertFailure(callTool(toolset, toCall(answers), { signal: AbortSignal.abort(new Error('stop')) }));
    }),
    ...(['hangs', 'stops'] as const).map((kind) =>
      check(`an abort settles a call whose handler ${kind} within ${SETTLE_MS} ms, with a result`, async (subject) => {
        const stop = new AbortController();
        const pending = assertFailure(callTool(subject.toolset, toCall(subject[kind]), { signal: stop.signal }));
        pending.catch(() => {}); // awaited below; it may reject earlier
        await new Promise((resolve) => setTimeout(resolve, 5));
        stop.abort(new Error('stop'));
        const result = await settledWithin(pending, SETTLE_MS);
        assert.ok(result !== undefined, `it had not settled ${SETTLE_MS} timers of a millisecond after the abort`);
        const outcome = kind === 'hangs' && subject.isRemote !== true ? 'abandoned' : 'cancelled';
        assert.equal(result.outcome, outcome, `the outcome is "${result.outcome}" instead of "${outcome}"`);
      }),
    ),
    check('calls at the same time each get their own result', async ({ toolset, answers, throws }) => {
      const results = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          callTool(toolset, toCall(index % 2 === 0 ? answers : throws, '{}', `call_${index}`), quietContext()),
        ),
      );
      results.forEach((result, index) => assert.equal(result.isError === true, index % 2 === 1));
    }),
    check('a listener is called after a change until it unsubscribes, which may be done twice', async (subject) => {
      const { toolset } = subject;
      const before = toolset.list();
      let listed: readonly Tool[] | undefined;
      const undo = toolset.subscribe?.(() => void (listed = toolset.list()));
      if (subject.change !== undefined) {
        await subject.change();
        assert.ok(listed !== undefined, 'the listener was not called');
        assert.notEqual(listed, before, 'the listener was called before the list had changed');
      }
      undo?.();
      undo?.();
      listed = undefined;
      await subject.change?.();
      assert.equal(listed, undefined, 'the listener was called after it had unsubscribed');
    }),
    check('the tools of a turn can be called in it', async ({ toolset, answers }) => {
      const turn = { turn: 1, signal: new AbortController().signal };
      const offered = (await toolset.listFor?.(turn)) ?? toolset.list();
      assert.ok(
        offered.some(({ name }) => name === answers),
        `"${answers}" is not on offer`,
      );
      const result = await callTool(toolset, toCall(answers), { ...quietContext(), turn });
      assert.match(result.forLLM, /ok/);
    }),
  ];
}

function assertTool(tool: Tool): void {
  assert.ok(isToolName(tool.name), `"${tool.name}" is not a legal name`);
  assert.equal(typeof tool.description, 'string');
  assert.equal(tool.parameters['type'], 'object');
  assert.deepEqual(JSON.parse(JSON.stringify(tool)), tool, `"${tool.name}" is not plain data`);
}

async function prepared(toolset: Toolset, name: string): Promise<PreparedCall> {
  const value: PreparedCall | ToolResult = await toolset.prepare(toCall(name), quietContext());
  assert.ok(!isToolResult(value), 'a valid call was refused');
  return value;
}

async function assertFailure(pending: Promise<unknown>) {
  const result = await pending;
  assert.ok(isToolResult(result), 'it did not return a result');
  assert.equal(result.isError, true, `it passed: ${result.forLLM}`);
  assert.notEqual(result.forLLM, '', 'its text is empty');
  return result;
}

function toCall(name: string, text = '{}', id = 'call_1'): ToolCall {
  return { type: 'tool-call', id, name, arguments: text };
}

function notRecorded(): Promise<void> {
  return Promise.reject(new Error('not recorded'));
}

function quietContext(): CallContext {
  return { signal: new AbortController().signal };
}

/**
 * Waits until a promise settles, for at most `count` timers of a millisecond, each set when the one before it has
 * fired. Returns `undefined` if it hasn't settled by then. Sets no timer afterwards.
 */
async function settledWithin<T>(pending: Promise<T>, count: number): Promise<T | undefined> {
  for (let turn = 0; turn < count; turn += 1) {
    const timer = new Promise<undefined>((resolve) => setTimeout(resolve, 1, undefined));
    // oxlint-disable-next-line no-await-in-loop -- one after another is what counts
    const result = await Promise.race([pending, timer]);
    if (result !== undefined) return result;
  }
  return undefined;
}
