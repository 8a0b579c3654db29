import assert from 'node:assert/strict';
import type { JsonValue, Sandbox, SandboxEnd, SandboxLimits, SandboxProgram, SandboxState } from '@kernel/protocol';
import { type ConformanceCase, withSubject } from './case.ts';

const LIMITS: SandboxLimits = {
  memoryBytes: 64 * 1024 * 1024,
  computeMs: 2000,
  stackBytes: 256 * 1024,
  calls: 50,
  outputCharacters: 10_000,
  sleepMs: 1000,
};

/** How the sandbox under test differs from one that runs programs in a thread of their own. */
export interface SandboxConformanceOptions {
  /** Whether it runs programs in the calling thread, where an abort cannot reach a program that computes. */
  readonly isInline?: boolean;
}

/** Returns the behaviors that every `Sandbox` must have, whatever implements it. `make` is called for each of them. */
export function sandboxConformance(
  make: () => Sandbox | Promise<Sandbox>,
  { isInline = false }: SandboxConformanceOptions = {},
): readonly ConformanceCase[] {
  const check = (name: string, body: (sandbox: Sandbox) => Promise<void>): ConformanceCase => ({
    name,
    run: () => withSubject(make, body),
  });
  return [
    check('a program returns JSON', async (sandbox) => {
      assert.equal((await endOf(sandbox, 'return { a: [1, "two", null] }')).value, '{"a":[1,"two",null]}');
      assert.equal((await endOf(sandbox, 'const nothing = 1')).value, undefined);
    }),
    check('a program can have variables with the names of what it is given', async (sandbox) => {
      const { value } = await endOf(
        sandbox,
        'const text = "a", store = 1; var load = 2; function image() { return 3 } return [text, store, load, image()]',
      );
      assert.equal(value, '["a",1,2,3]');
    }),
    check('what it writes is in order', async (sandbox) => {
      const { output } = await endOf(
        sandbox,
        'text("a"); console.log("b", 1); image({ mimeType: "image/png", data: "AA==" })',
      );
      assert.deepEqual(output, [{ text: 'a' }, { text: 'b 1' }, { mimeType: 'image/png', data: 'AA==' }]);
    }),
    check('calls made at once come at once, and their results go to their promises', async (sandbox) => {
      const run = await sandbox.start(
        toProgram('return await Promise.all([tools.add({ a: 1 }), tools.add({ a: 2 })])'),
      );
      assert.deepEqual(await run.resume([]), {
        type: 'calls',
        calls: [
          { name: 'add', input: '{"a":1}' },
          { name: 'add', input: '{"a":2}' },
        ],
      });
      assert.equal(ended(await run.resume([{ value: '"one"' }, { value: '{"two":2}' }])).value, '["one",{"two":2}]');
      run.close();
    }),
    check('a failed call throws what it failed with', async (sandbox) => {
      const run = await sandbox.start(toProgram('try { await tools.add() } catch (error) { return error.message }'));
      await run.resume([]);
      assert.equal(ended(await run.resume([{ error: 'no more' }])).value, '"no more"');
      run.close();
    }),
    check('what it throws is its error, with its line', async (sandbox) => {
      const { error = '' } = await endOf(sandbox, 'const a = 1;\nthrow new TypeError("bad");');
      assert.match(error, /TypeError: bad/);
      assert.match(error, /:2/);
    }),
    check('values are kept and given to the next program', async (sandbox) => {
      const { stored } = await endOf(sandbox, 'store("key", { a: 1 })');
      assert.deepEqual(stored, { key: { a: 1 } });
      const next = await endOf(sandbox, 'return load("key")', { stored });
      assert.equal(next.value, '{"a":1}');
    }),
    check('the same program takes the same path: clock, random numbers and time zone are given', async (sandbox) => {
      const source =
        'return [Date.now(), Math.random(), Math.random(), new Date(0).getHours(), new Date().toISOString()]';
      const [one, two] = [await endOf(sandbox, source), await endOf(sandbox, source)];
      assert.equal(one.value, two.value);
      assert.match(one.value ?? '', /^\[1700000000000,/);
      assert.notEqual((await endOf(sandbox, source, { seed: 8 })).value, one.value);
    }),
    check('a sleep is a state, and moves the clock', async (sandbox) => {
      const run = await sandbox.start(toProgram('const a = Date.now(); await sleep(70); return Date.now() - a'));
      assert.deepEqual(await run.resume([]), { type: 'sleep', sleepMs: 70 });
      assert.equal(ended(await run.resume([])).value, '70');
      run.close();
    }),
    check('nothing of the host is there', async (sandbox) => {
      const source = `return ['process', 'require', 'fetch', 'module', 'Deno', 'Bun', 'setTimeout', 'XMLHttpRequest', 'WebAssembly', 'performance', 'WeakRef']
        .filter((name) => name in globalThis)`;
      assert.equal((await endOf(sandbox, source)).value, '[]');
      const escape = `try { return typeof (() => {}).constructor('return process')() } catch (error) { return error.name }`;
      assert.equal((await endOf(sandbox, escape)).value, '"ReferenceError"');
      const imported = await endOf(sandbox, 'return await import("node:fs").then(() => "imported", () => "refused")');
      assert.equal(imported.value, '"refused"');
    }),
    check('the limits of output, calls, values and sleep hold, and say their number', async (sandbox) => {
      assert.match((await endOf(sandbox, 'text("x".repeat(20_000))')).error ?? '', /10000/);
      assert.match((await endOf(sandbox, 'return "x".repeat(20_000)')).error ?? '', /10000/);
      assert.match((await endOf(sandbox, 'store("a", "x".repeat(20_000))')).error ?? '', /10000/);
      assert.match((await endOf(sandbox, 'await sleep(2000)')).error ?? '', /1000 ms/);
      assert.match(
        (await endOf(sandbox, 'await Promise.all(Array.from({ length: 60 }, () => tools.add()))')).error ?? '',
        /50 calls/,
      );
    }),
    check('a program that never ends is ended after its time, and says what it wrote', async (sandbox) => {
      const limits = { ...LIMITS, computeMs: 50 };
      for (const source of ['for (;;) {}', 'while (true) await null', '/(a+)+$/.test("a".repeat(50) + "!")']) {
        const { error = '', output } = await endOf(sandbox, `text("begun"); ${source}`, { limits });
        assert.match(error, /50 ms/);
        assert.deepEqual(output, [{ text: 'begun' }]);
      }
    }),
    check('a program that wants too much memory or stack is told so', async (sandbox) => {
      const limits = { ...LIMITS, memoryBytes: 8 * 1024 * 1024 };
      const { error = '' } = await endOf(sandbox, 'const all = []; for (;;) all.push(new Array(10_000).fill(1.5))', {
        limits,
      });
      assert.match(error, /memory/);
      assert.match((await endOf(sandbox, 'const f = () => f() + 1; f()')).error ?? '', /stack|call/i);
    }),
    check('a program that waits for nothing ends', async (sandbox) => {
      assert.match((await endOf(sandbox, 'await new Promise(() => {})')).error ?? '', /nothing can settle/);
    }),
    check('an abort ends it: at the start, while it waits, and while it computes', async (sandbox) => {
      const reason = new Error('stopped');
      await assert.rejects(async () => {
        const run = await sandbox.start(toProgram('return 1', { signal: AbortSignal.abort(reason) }));
        await run.resume([]);
      }, reason);
      const controller = new AbortController();
      const waiting = await sandbox.start(toProgram('await tools.add()', { signal: controller.signal }));
      await waiting.resume([]);
      controller.abort(reason);
      await assert.rejects(waiting.resume([{ value: '1' }]), reason);
      waiting.close();
      if (isInline) return;
      const computing = new AbortController();
      const running = await sandbox.start(toProgram('for (;;) {}', { signal: computing.signal }));
      const state = running.resume([]);
      setTimeout(() => computing.abort(reason), 20);
      await assert.rejects(state, reason);
      running.close();
    }),
    check('programs at once see nothing of each other', async (sandbox) => {
      const sources = [1, 2, 3].map((value) => `globalThis.x = ${value}; await tools.add(); return globalThis.x`);
      const runs = await Promise.all(sources.map((source) => sandbox.start(toProgram(source))));
      await Promise.all(runs.map((run) => run.resume([])));
      const ends = await Promise.all(runs.map(async (run) => ended(await run.resume([{ value: '0' }])).value));
      assert.deepEqual(ends, ['1', '2', '3']);
      for (const run of runs) run.close();
      assert.equal((await endOf(sandbox, 'return typeof globalThis.x')).value, '"undefined"');
    }),
    check('a program that changes the language harms only itself', async (sandbox) => {
      for (const source of [
        'JSON.stringify = () => "{}"; return 1',
        'Object.prototype.toJSON = () => 1; return { a: 1 }',
        'Promise.prototype.then = () => { throw 1 }; return 1',
        'Array.prototype.push = () => { throw 1 }; text("a"); return 1',
        'Object.defineProperty(Object.prototype, "type", { get: () => "calls" }); return 1',
      ]) {
        await endOf(sandbox, source).catch(() => {});
        assert.equal((await endOf(sandbox, 'return { a: 1 }')).value, '{"a":1}');
      }
    }),
    check('closing twice is safe, and so is closing what computes', async (sandbox) => {
      const run = await sandbox.start(toProgram('await tools.add()'));
      await run.resume([]);
      run.close();
      run.close();
    }),
  ];
}

function toProgram(source: string, changes: Partial<SandboxProgram> = {}): SandboxProgram {
  return {
    source,
    tools: [{ name: 'add', declaration: 'add(input: { a: number }): Promise<number>;' }],
    startedAt: 1_700_000_000_000,
    seed: 7,
    stored: {} satisfies Record<string, JsonValue>,
    limits: LIMITS,
    signal: new AbortController().signal,
    ...changes,
  };
}

/** Runs a program that makes no calls. */
async function endOf(sandbox: Sandbox, source: string, changes?: Partial<SandboxProgram>): Promise<SandboxEnd> {
  const run = await sandbox.start(toProgram(source, changes));
  try {
    return ended(await run.resume([]));
  } finally {
    run.close();
  }
}

function ended(state: SandboxState): SandboxEnd {
  assert.equal(state.type, 'end', `the program did not end: ${JSON.stringify(state)}`);
  return state;
}
