import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { findRuntime } from '../setup/runtimes.ts';
import { temporaryFolder } from '../setup/temporary-folder.ts';
import { bundleFor } from './bundle.ts';
import { askWorker } from './miniflare.ts';

const GIVEN = ['[10,20]', expect.stringContaining('computed for more than 300 ms')];
const ROW = 'codemode.runtimes';

test.each([
  ['Node 22', []],
  ['Node 24', []],
  ['Deno', ['run', '--no-check', '--node-modules-dir=manual', '--allow-env', '--allow-read']],
  ['Bun', []],
] as const)('programs of a model run on %s, in a worker', async (name, flags) => {
  const runtime = findRuntime(name, [ROW]);
  if (!runtime.present) return;
  verifies(ROW);
  const env = { ...process.env, HOME: temporaryFolder('home') };
  const args = [...flags, 'programs-on-command-line.ts'];
  const { stdout } = await promisify(execFile)(runtime.path, args, { cwd: import.meta.dirname, env });
  expect(JSON.parse(stdout)).toEqual(GIVEN);
});

const workerd = findRuntime('workerd', [ROW]);

test('programs of a model run in workerd with nodejs_compat, in the calling thread', workerd.options, async () => {
  verifies(ROW);
  const contents = await bundleFor(['workerd', 'worker', 'browser'], 'programs-in-worker.ts');
  const engine = createRequire(new URL('../../packages/code-mode/package.json', import.meta.url));
  const wasm = readFileSync(engine.resolve('quickjs-wasi/quickjs.wasm'));
  const modules = [
    { type: 'ESModule', path: 'worker.js', contents },
    { type: 'CompiledWasm', path: 'quickjs.wasm', contents: wasm },
  ] as const;
  expect(await askWorker(modules, ['nodejs_compat'])).toEqual(['[10,20]', expect.any(String)]);
});
