import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { CodemodeSandbox } from '@earendil-works/pi-codemode';
import { withCodeMode } from '@kernel/code-mode';
import { callTool as runTool } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { bindTool, createRegistry } from '@kernel/tools';
import { afterAll, expect, test } from 'vitest';
import { PROGRAMS } from './programs.ts';
import { callTool, TOOLS } from './tools.ts';

const names = Object.keys(TOOLS);

const ours = withCodeMode(
  createRegistry(
    names.map((name) =>
      bindTool({ name, description: name, parameters: { type: 'object' }, effect: 'read' }, (input) =>
        callTool(name, input),
      ),
    ),
  ),
);
const pi = new CodemodeSandbox({
  tools: names.map((name) => ({ name, execute: (input: unknown) => callTool(name, input) })),
});
afterAll(() => pi.close());

const context = { signal: new AbortController().signal };

async function oursSays(code: string): Promise<unknown> {
  const result = await runTool(
    ours,
    { type: 'tool-call', id: '1', name: 'run_code', arguments: JSON.stringify({ code }) },
    context,
  );
  if (result.isError === true) throw new Error(result.forLLM);
  return result.data;
}

async function piSays(code: string): Promise<unknown> {
  const result = await pi.execute(code);
  return result.ok ? result.value : `failed: ${result.error.message}`;
}

let child: ChildProcess | undefined;
afterAll(() => child?.kill('SIGKILL'));

async function startTanstack(): Promise<ChildProcess> {
  const started = fork(new URL('tanstack-process.ts', import.meta.url), {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    // It compiles its engine for each program: to optimize that takes longer than to run it.
    execArgv: ['--liftoff-only'],
  });
  await once(started, 'message');
  return started;
}

/** What TanStack's sandbox says; a process of it that has crashed or hangs is replaced. */
async function tanstackSays(code: string): Promise<unknown> {
  child ??= await startTanstack();
  const running = child;
  running.send(code);
  const answer = once(running, 'message') as Promise<[{ readonly value?: unknown }]>;
  const ended = once(running, 'exit').then(() => undefined);
  const settled = await Promise.race([answer, ended, delay(10_000, undefined, { ref: false })]);
  if (settled !== undefined) return settled[0].value;
  running.kill('SIGKILL');
  child = undefined;
  return 'failed: its process crashed or hangs';
}

/** As JSON has it: the others hand values over in their own ways. */
const asJson = (value: unknown): unknown =>
  value === undefined ? undefined : (JSON.parse(JSON.stringify(value)) as unknown);

const differing: string[] = [];

test.each(PROGRAMS.map((code, at) => [at + 1, code] as const))(
  'program %i gives what it gives in the sandboxes of pi and TanStack AI, where they agree: %s',
  async (_, code) => {
    verifies('codemode.peers');
    const [own, one, two] = [
      asJson(await oursSays(code)),
      asJson(await piSays(code)),
      asJson(await tanstackSays(code)),
    ];
    const doAgree = JSON.stringify(one) === JSON.stringify(two);
    if (!doAgree)
      differing.push(
        `${code}\n  ours ${JSON.stringify(own)}, pi ${JSON.stringify(one)}, TanStack ${JSON.stringify(two)}`,
      );
    expect(doAgree ? one : own).toEqual(own);
  },
);

test('there are a hundred programs, and the other two agree on nearly all of them', () => {
  verifies('codemode.peers');
  expect(PROGRAMS).toHaveLength(100);
  expect(differing.slice(14)).toEqual([]);
});
