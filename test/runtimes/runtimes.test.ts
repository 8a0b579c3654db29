import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { verifies } from '@kernel/testing';
import { launch } from 'puppeteer-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { temporaryFolder } from '../setup/temporary-folder.ts';
import { chromiumLaunch, findChromium } from '../setup/chromium.ts';
import { findRuntime } from '../setup/runtimes.ts';
import { bundleFor } from './bundle.ts';
import { askWorker } from './miniflare.ts';
import { type LoopServers, startLoopServers, startPageServer } from './servers.ts';
import type { Addresses, LoopOutcome } from './tool-loop.ts';

type Outcomes = Readonly<Record<string, LoopOutcome>>;

const DONE: LoopOutcome = {
  reason: 'done',
  answer: 'It is 31 °C, says Grüße 🌍.',
  turns: 2,
  deltas: expect.any(Array) as string[],
  cities: ['Lisbon'],
  aborted: 'aborted',
};

/** The runtimes whose test has passed, and those that are not installed here. */
const ran = new Set<string>();
const absent = new Set<string>();

let servers: LoopServers;
beforeAll(async () => {
  servers = await startLoopServers();
});
afterAll(() => servers.close());

/** Each wire's loop came to the answer, and its text arrived in the pieces that the server sent. */
function expectLoops(runtime: string, outcomes: Outcomes): void {
  verifies('runtimes.loop');
  expect(outcomes).toEqual({ openai: DONE, anthropic: DONE });
  for (const { deltas } of Object.values(outcomes)) {
    expect(deltas.join('')).toBe(`Let me look.${DONE.answer}`);
    expect(deltas.length).toBeGreaterThan(4);
  }
  const isNode = runtime.startsWith('Node');
  expect(servers.takeClients()).toEqual({ own: isNode, fetch: !isNode });
  ran.add(runtime);
}

async function runProcess(program: string, flags: readonly string[]): Promise<Outcomes> {
  const args = [...flags, 'on-command-line.ts', JSON.stringify(servers.addresses)];
  // Deno and Bun keep caches in the home.
  const env = { ...process.env, HOME: temporaryFolder('home') };
  const { stdout } = await promisify(execFile)(program, args, { cwd: import.meta.dirname, env });
  return JSON.parse(stdout) as Outcomes;
}

test('a streamed tool loop runs on Node 26', async () => {
  expectLoops('Node 26', await runProcess(process.execPath, []));
});

const DENO = ['run', '--no-check', '--node-modules-dir=manual', '--allow-net=127.0.0.1', '--allow-env', '--allow-read'];

for (const [name, flags] of [
  ['Node 22', []],
  ['Node 24', []],
  ['Deno', DENO],
  ['Bun', []],
] as const) {
  const runtime = findRuntime(name, ['runtimes.loop']);
  if (!runtime.present) absent.add(name);
  test(`a streamed tool loop runs on ${name}`, runtime.options, async () => {
    expectLoops(name, await runProcess(runtime.path, flags));
  });
}

const workerd = findRuntime('workerd', ['runtimes.loop']);
if (!workerd.present) for (const name of ['workerd', 'workerd with nodejs_compat']) absent.add(name);

test('a streamed tool loop runs in workerd', workerd.options, async () => {
  expectLoops('workerd', await runWorker([]));
});

test('a streamed tool loop runs in workerd with nodejs_compat', workerd.options, async () => {
  expectLoops('workerd with nodejs_compat', await runWorker(['nodejs_compat']));
});

async function runWorker(compatibilityFlags: readonly string[]): Promise<Outcomes> {
  const contents = await bundleFor(['workerd', 'worker', 'browser'], 'in-worker.ts');
  const modules = [{ type: 'ESModule', path: 'worker.js', contents }] as const;
  return (await askWorker(modules, compatibilityFlags, JSON.stringify(servers.addresses))) as Outcomes;
}

const chromium = findChromium(['runtimes.loop']);
if (!chromium.present) absent.add('Chromium');

test('a streamed tool loop runs in Chromium', chromium.options, async () => {
  const page = await startPageServer(await bundleFor(['browser'], 'in-page.ts'), servers.addresses);
  const profile = mkdtempSync(join(tmpdir(), 'kernel-runtime-'));
  const browser = await launch(chromiumLaunch(profile));
  try {
    const tab = await browser.newPage();
    await tab.goto(page.url);
    await tab.waitForFunction('"runToolLoops" in globalThis');
    const call = `globalThis.runToolLoops(${JSON.stringify(page.addresses satisfies Addresses)})`;
    expectLoops('Chromium', (await tab.evaluate(call)) as Outcomes);
  } finally {
    await browser.close();
    await page.close();
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  }
});

test('the table of the README names the runtimes whose tests ran, and those alone', () => {
  verifies('runtimes.table');
  const [, section = ''] = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8').split('\n## Runtimes\n');
  const [table = ''] = section.split('\n## ');
  const rows = [...table.matchAll(/^\| (\S[^|]*?) *\|/gm)].map(([, name]) => name);
  const names = rows.slice(1).filter((name) => !name?.startsWith('-'));
  expect(new Set(names)).toEqual(new Set([...ran, ...absent]));
  expect(names).toHaveLength(ran.size + absent.size);
});
