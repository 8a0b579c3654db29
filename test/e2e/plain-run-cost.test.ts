import { execFileSync } from 'node:child_process';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';

/** What a process of its own measures, on the built packages: modules that were loaded, and promises that were made. */
interface Measured {
  /** By the import, by a run that uses nothing but tools, and by one with a typed answer. */
  readonly loaded: { readonly atImport: string[]; readonly byPlainRun: string[]; readonly byTypedRun: string[] };
  /** How many promises a delta costs more, read from the provider alone and through a run. */
  readonly perDelta: { readonly alone: number; readonly inRun: number };
  readonly perTurn: number;
  readonly perRun: number;
}

const SCRIPT = `
  import { createHook } from 'node:async_hooks';
  import { registerHooks } from 'node:module';
  let loaded = [];
  registerHooks({ load(url, context, next) { loaded.push(url.replace(/^.*\\/(?=packages\\/)/, '')); return next(url, context); } });
  const taken = () => loaded.splice(0);
  const { collect, run } = await import('@kernel/agent');
  const atImport = taken();

  let made = 0;
  const hook = createHook({ init(_, type) { if (type === 'PROMISE') made += 1; } });
  const providerOf = (deltas, turns) => ({
    name: 'counted',
    async *stream({ messages }) {
      for (let count = 0; count < deltas; count += 1) yield { type: 'text-delta', text: 'a' };
      const turn = messages.filter(({ role }) => role === 'tool').length;
      const content = turn < turns
        ? [{ type: 'tool-call', id: 'c' + turn, name: 'look', arguments: JSON.stringify({ turn }) }]
        : [{ type: 'text', text: '{"a":1}' }];
      yield { type: 'message-end', message: { role: 'assistant', content }, finishReason: turn < turns ? 'tool-calls' : 'stop' };
    },
  });
  const list = Object.freeze([{ name: 'look', description: '', parameters: { type: 'object' }, effect: 'read' }]);
  const tools = {
    list: () => list,
    prepare: (call) => ({ tool: list[0], arguments: call.arguments, run: async () => ({ forLLM: 'x' }) }),
  };
  const optionsOf = (deltas, turns) => ({ provider: providerOf(deltas, turns), model: 'm', messages: [{ role: 'user', content: 'x' }], tools });
  const counted = async (values) => {
    made = 0;
    hook.enable();
    for await (const _ of values);
    hook.disable();
    return made;
  };
  const inRun = (deltas, turns) => counted(run(optionsOf(deltas, turns)));
  const alone = (deltas) => counted(providerOf(deltas, 0).stream({ messages: [] }));

  await collect(run(optionsOf(3, 2)));
  const byPlainRun = taken();
  const perDelta = {
    alone: (await alone(2000) - await alone(1000)) / 1000,
    inRun: (await inRun(2000, 0) - await inRun(1000, 0)) / 1000,
  };
  const perTurn = (await inRun(0, 20) - await inRun(0, 10)) / 10;
  const perRun = await inRun(0, 0);
  taken();
  await collect(run({ ...optionsOf(0, 0), output: { type: 'object' } }));
  process.stdout.write(JSON.stringify({ loaded: { atImport, byPlainRun, byTypedRun: taken() }, perDelta, perTurn, perRun }));
`;

const measured = JSON.parse(
  execFileSync(process.execPath, ['--input-type=module', '-e', SCRIPT], {
    encoding: 'utf8',
    cwd: import.meta.dirname,
  }),
) as Measured;

test('a run that uses only tools loads nothing of what it does not use', () => {
  verifies('run.cost');
  const { atImport, byPlainRun, byTypedRun } = measured.loaded;
  expect(atImport).toContain('packages/agent/dist/index.js');
  const foreign = atImport.filter((name) => !/^packages\/(?:agent|protocol)\//.test(name));
  expect(foreign).toEqual([]);
  expect(atImport.filter((name) => /dist\/(?:web|config|client|compat|otel|testing)\b/.test(name))).toEqual([]);
  expect(byPlainRun).toEqual([]);
  expect(byTypedRun.some((name) => name.startsWith('packages/schema/'))).toBe(true);
});

test('what other runs can do costs it no promise: two an event, 44 a turn with a call', () => {
  verifies('run.cost');
  const { perDelta, perTurn, perRun } = measured;
  expect(perDelta.inRun - perDelta.alone).toBeLessThanOrEqual(2);
  expect(perTurn).toBeLessThanOrEqual(44);
  expect(perRun).toBeLessThanOrEqual(41);
});
