import assert from 'node:assert/strict';
import { type CallContext, isToolName, isToolResult, type Tool, type ToolCall, type Toolset } from '@kernel/protocol';
import { type ConformanceCase, withSubject } from './case.ts';

/** A toolset under test: it offers four tools without required arguments, under these names. */
export interface ToolsetUnderTest {
  /** The toolset. */
  readonly toolset: Toolset;
  /** A tool that answers at once; the `forLLM` of its result contains `ok`. */
  readonly answers: string;
  /** A tool whose handler throws. */
  readonly throws: string;
  /** A tool whose handler never settles and ignores its signal. */
  readonly hangs: string;
  /** A tool whose handler settles when its signal aborts. */
  readonly stops: string;
  /**
   * Whether the handlers run in another process. Then it is not visible whether one stopped on an abort, and both outcomes count as `cancelled`.
   */
  readonly isRemote?: boolean;
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
      const result = await toolset.call(toCall(answers), quietContext());
      assert.ok(isToolResult(result));
      assert.notEqual(result.isError, true, result.forLLM);
      assert.match(result.forLLM, /ok/);
    }),
    check('a handler that throws becomes a result, not a rejection', async ({ toolset, throws }) => {
      await assertFailure(toolset.call(toCall(throws), quietContext()));
    }),
    check('an unknown tool becomes a result that names it', async ({ toolset }) => {
      const result = await assertFailure(toolset.call(toCall('no_such_tool'), quietContext()));
      assert.match(result.forLLM, /no_such_tool/);
    }),
    check('names of the prototype chain are unknown tools', async ({ toolset }) => {
      for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty'])
        await assertFailure(toolset.call(toCall(name), quietContext()));
    }),
    check('validate, if there is one, shows what a call would run, and that runs', async ({ toolset, answers }) => {
      const call = toCall(answers);
      const approved = await toolset.validate?.(call, quietContext());
      if (approved === undefined) return;
      assert.ok(!isToolResult(approved), 'a valid call was refused');
      assert.equal(approved.tool.name, answers);
      assert.ok(approved.isCurrent(), 'the tool has not changed');
      const result = await toolset.call(call, { ...quietContext(), approved });
      assert.match(result.forLLM, /ok/);
      const unknown = await toolset.validate?.(toCall('no_such_tool'), quietContext());
      assert.ok(unknown !== undefined && isToolResult(unknown), 'an unknown tool is not a failed result');
    }),
    check('argument text that is not valid JSON becomes a result', async ({ toolset, answers }) => {
      for (const text of ['{"a":', 'not json', '[1]', '42', 'null x'])
        await assertFailure(toolset.call(toCall(answers, text), quietContext()));
    }),
    check('blank argument text counts as no arguments', async ({ toolset, answers }) => {
      const result = await toolset.call(toCall(answers, ' '), quietContext());
      assert.notEqual(result.isError, true, result.forLLM);
    }),
    check('an aborted signal starts nothing and gives a result', async ({ toolset, answers }) => {
      await assertFailure(toolset.call(toCall(answers), { signal: AbortSignal.abort(new Error('stop')) }));
    }),
    ...(['hangs', 'stops'] as const).map((kind) =>
      check(`an abort settles a call whose handler ${kind} within ${SETTLE_MS} ms, with a result`, async (subject) => {
        const stop = new AbortController();
        const pending = assertFailure(subject.toolset.call(toCall(subject[kind]), { signal: stop.signal }));
        pending.catch(() => {}); // awaited below; it may reject earlier
        await new Promise((resolve) => setTimeout(resolve, 5));
        stop.abort(new Error('stop'));
        const result = await Promise.race([pending, timerTurns(SETTLE_MS)]);
        assert.ok(result !== undefined, `it took more than ${SETTLE_MS} timers of a millisecond, one after another`);
        assert.equal(result.outcome, kind === 'hangs' && subject.isRemote !== true ? 'abandoned' : 'cancelled');
      }),
    ),
    check('calls at the same time each get their own result', async ({ toolset, answers, throws }) => {
      const results = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          toolset.call(toCall(index % 2 === 0 ? answers : throws, '{}', `call_${index}`), quietContext()),
        ),
      );
      results.forEach((result, index) => assert.equal(result.isError === true, index % 2 === 1));
    }),
    check('subscribe returns a function that unsubscribes and may be called twice', async ({ toolset }) => {
      const undo = toolset.subscribe?.(() => {});
      undo?.();
      undo?.();
    }),
    check('beginTurn resolves', async ({ toolset }) => {
      await toolset.beginTurn?.({ turn: 1, signal: new AbortController().signal });
    }),
  ];
}

function assertTool(tool: Tool): void {
  assert.ok(isToolName(tool.name), `"${tool.name}" is not a legal name`);
  assert.equal(typeof tool.description, 'string');
  assert.equal(tool.parameters['type'], 'object');
  assert.deepEqual(JSON.parse(JSON.stringify(tool)), tool, `"${tool.name}" is not plain data`);
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

function quietContext(): CallContext {
  return { signal: new AbortController().signal };
}

/** Waits for timers of a millisecond, each set when the one before it has fired. */
async function timerTurns(count: number): Promise<undefined> {
  // oxlint-disable-next-line no-await-in-loop -- one after another is what counts
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setTimeout(resolve, 1));
  return undefined;
}
