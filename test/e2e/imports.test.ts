import { execFileSync } from 'node:child_process';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';

const packages = ['@kernel/protocol', '@kernel/tools', '@kernel/providers', '@kernel/agent', '@kernel/testing'];

/** Imports modules in a process of their own whose doors are watched. Returns what was loaded and what was touched. */
function importing(names: readonly string[]): { loaded: string[]; touched: string[] } {
  const script = `
    import { registerHooks } from 'node:module';
    import { Socket } from 'node:net';
    const loaded = [], touched = [];
    registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context); } });
    // Node's own loader does all of this too: what counts is who asked.
    const note = (name) => { if (/(?:packages|node_modules)\\//.test(new Error().stack ?? '')) touched.push(name); };
    const trap = (object, name) => { const real = object[name]; object[name] = function (...args) { note(name); return real.apply(this, args); }; };
    trap(Socket.prototype, 'connect');
    for (const name of ['setTimeout', 'setInterval', 'setImmediate', 'fetch']) trap(globalThis, name);
    const env = process.env;
    Object.defineProperty(process, 'env', { get() { note('env'); return env; } });
    const listeners = () => process.eventNames().join();
    const before = listeners();
    for (const name of ${JSON.stringify(names)}) await import(name);
    if (listeners() !== before) touched.push('process listeners');
    process.stdout.write(JSON.stringify({ loaded, touched }));
  `;
  return JSON.parse(
    execFileSync(process.execPath, ['--input-type=module', '-e', script], {
      encoding: 'utf8',
      cwd: import.meta.dirname,
    }),
  ) as { loaded: string[]; touched: string[] };
}

test('importing a package does no I/O, sets no timer, reads no environment and registers nothing', () => {
  verifies('architecture.pure');
  const { loaded, touched } = importing(packages);
  expect(loaded.length).toBeGreaterThan(packages.length);
  expect(touched).toEqual([]);
});

test('importing protocol, tools, agent and providers loads neither undici nor zod', () => {
  const { loaded } = importing(packages.slice(0, 4));
  expect(loaded.filter((url) => /node_modules\/(?:undici|zod)\//.test(url))).toEqual([]);
});

test('the streams for the web import no module of Node, so that they run wherever a Request becomes a Response', () => {
  verifies('web.imports');
  const { loaded } = importing(['@kernel/agent/web']);
  const names = loaded.map((url) => url.replace(/^.*\/(?=packages\/)/, ''));
  expect(names).toContain('packages/agent/dist/web/index.js');
  expect(names.filter((name) => !name.startsWith('packages/'))).toEqual([]);
});
