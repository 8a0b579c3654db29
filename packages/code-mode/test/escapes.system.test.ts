import { callTool } from '@kernel/protocol';
import { createInlineSandbox, createWorkerSandbox, withCodeMode } from '@kernel/code-mode';
import { verifies } from '@kernel/testing';
import { bindTool, createRegistry } from '@kernel/tools';
import { describe, expect, test } from 'vitest';
import { ESCAPES } from './escapes.ts';

const limits = { computeMs: 150, calls: 200, memoryBytes: 32 * 1024 * 1024, outputCharacters: 20_000, sleepMs: 100 };
const parameters = { type: 'object' } as const;
const SECRET = 'only-the-host-knows-this';
let leaked = 0;

const tools = createRegistry([
  bindTool({ name: 'echo', description: 'Returns its input.', effect: 'read', parameters }, (input) => input),
  bindTool({ name: 'fail', description: 'Fails.', effect: 'read', parameters }, () => {
    throw new Error('no');
  }),
  bindTool({ name: 'secret', description: 'Is never called.', effect: 'external', parameters }, () => {
    leaked += 1;
    return SECRET;
  }),
]);
const context = { signal: new AbortController().signal };

describe.each([
  ['in a worker', createWorkerSandbox()],
  ['in the calling thread', createInlineSandbox()],
])('%s', (_, sandbox) => {
  const programs = withCodeMode(tools, { sandbox, limits });
  const others = withCodeMode(tools, { sandbox });
  const run = (code: string, toolset = programs) =>
    callTool(toolset, { type: 'tool-call', id: '1', name: 'run_code', arguments: JSON.stringify({ code }) }, context);

  test.each(Object.entries(ESCAPES))('%s', async (_name, code) => {
    verifies('codemode.escapes');
    process.env['SECRET_OF_THE_HOST'] = SECRET;
    const before = Object.getOwnPropertyNames(globalThis).length;
    const result = await run(code);
    delete process.env['SECRET_OF_THE_HOST'];
    expect(typeof result.forLLM).toBe('string');
    expect(JSON.stringify({ ...result, error: undefined })).not.toContain(SECRET);
    expect(result.forLLM).not.toContain(process.cwd());
    expect(leaked).toBe(0);
    expect(Reflect.get(globalThis, 'escaped') ?? Reflect.get({}, 'escaped')).toBeUndefined();
    expect(Object.getOwnPropertyNames(globalThis)).toHaveLength(before);
    // The next program finds the language as it was.
    const next = await run('return [await tools.echo({ n: 1 }), [1].map((x) => x), typeof globalThis.escaped]', others);
    expect(next.forLLM).toBe('[{"n":1},[1],"undefined"]');
  });
});

test('a program in a worker never holds up the calling thread, whatever it does', async () => {
  verifies('codemode.escapes');
  const programs = withCodeMode(tools, { sandbox: createWorkerSandbox(), limits });
  let turns = 0;
  const timer = setInterval(() => (turns += 1), 1);
  for (const code of [
    ESCAPES['a huge array'],
    ESCAPES['microtasks for ever'],
    ESCAPES['a regular expression over a long text'],
  ])
    await callTool(
      programs,
      { type: 'tool-call', id: '1', name: 'run_code', arguments: JSON.stringify({ code }) },
      context,
    );
  clearInterval(timer);
  // In 450 ms of computing the thread has come round many times: blocked, it would have once for each program.
  expect(turns).toBeGreaterThan(30);
});

test('there are sixty of them', () => {
  verifies('codemode.escapes');
  expect(Object.keys(ESCAPES).length).toBeGreaterThanOrEqual(60);
});
