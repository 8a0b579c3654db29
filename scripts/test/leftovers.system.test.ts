import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { verifies } from '@kernel/testing';
import { expect, onTestFinished, test } from 'vitest';
import { entriesOf, newEntries, processesIn } from '../lib/leftovers.ts';
import { tree } from './fixture-tree.ts';

test('what is new in a folder is named once, by the topmost entry, and caches of tools are not', () => {
  verifies('architecture.cleanUp');
  const before = tree({ 'a/b': '', '.npm/x': '' });
  const after = tree({
    'a/b': '',
    'a/c': '',
    'd/e/f': '',
    '.npm/x': '',
    '.npm/y': '',
    '.cache/node/z': '',
    '.local/share/vitest/t': '',
  });
  expect(newEntries(entriesOf(before, 3), entriesOf(after, 3))).toEqual(['a/c', 'd']);
});

test.skipIf(process.platform !== 'linux')(
  'a process that still runs in the folder is named with its port, but not to the program that has started it',
  async () => {
    verifies('architecture.cleanUp');
    const folder = tree({});
    expect(processesIn([folder])).toEqual([]);
    const code =
      "require('net').createServer().listen(0, '127.0.0.1', function () { console.log(this.address().port); })";
    const child = spawn(process.execPath, ['-e', code], { cwd: folder, env: {}, stdio: ['ignore', 'pipe', 'inherit'] });
    const exited = once(child, 'exit');
    onTestFinished(async () => {
      child.kill('SIGKILL');
      await exited;
    });
    const [port] = (await once(child.stdout, 'data')) as [Buffer];
    expect(processesIn([folder])).toEqual([]);
    expect(processesIn([folder], { self: 1 })).toEqual([
      expect.stringMatching(new RegExp(`^${child.pid} .*\\(listens on ${String(port).trim()}\\)$`)),
    ]);
  },
);

test.skipIf(process.platform !== 'linux')(
  'a new process that hides where it came from is named, an older one is not',
  async () => {
    verifies('architecture.cleanUp');
    const sinceMs = Date.now() - 5_000;
    const child = spawn(process.execPath, ['-e', 'console.log(1); setInterval(() => {}, 1e6)'], { cwd: '/', env: {} });
    const exited = once(child, 'exit');
    onTestFinished(async () => {
      child.kill('SIGKILL');
      await exited;
    });
    await once(child.stdout, 'data');
    const named = expect.arrayContaining([expect.stringMatching(new RegExp(`^${child.pid} `))]) as unknown;
    expect(processesIn([], { self: 1, sinceMs })).toEqual(named);
    expect(processesIn([], { self: 1, sinceMs: Date.now() + 60_000 })).not.toEqual(named);
  },
);
