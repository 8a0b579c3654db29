import { verifies } from '@kernel/testing';
import { describe, expect, it, vi } from 'vitest';
import { existsSync, readFileSync } from 'node:fs';
import { isolations } from './isolations.ts';
import { commands, progress, virtualTimers } from './support.ts';

/** Waits until the last process in the background has become its program, where the system says what it is. */
const IS_SLEEPING = '[ ! -d /proc ] || until [ "$(cat /proc/$!/comm)" = sleep ]; do :; done';

for (const { name, isolation, feature } of [
  { name: 'nothing', isolation: 'none', feature: { options: { skip: process.platform === 'win32' } } } as const,
  ...isolations,
])
  describe(`a command isolated by ${name} that leaves processes running`, feature.options, () => {
    it('says that they were ended with it, and which', async () => {
      verifies('toolbox.commands.left');
      const { run } = await commands({ isolation });
      const result = await run(['bash', '-c', `sleep 1000 >/dev/null 2>&1 & ${IS_SLEEPING}`]);
      expect(result.forLLM).toMatch(
        /^Exit code 0 after [\d.]+ s\. The processes that it left running(?: \(sleep\))? were ended with it; .*background: true\.\n/,
      );
      expect(result.data).toMatchObject({ endedProcesses: process.platform === 'linux' ? ['sleep'] : [''] });
    });

    it('says nothing where nothing is left, not of what had ended before', async () => {
      verifies('toolbox.commands.left');
      const { run } = await commands({ isolation });
      const result = await run(['bash', '-c', 'true & sleep 0 & wait; echo a | cat; exit 3']);
      expect(result.forLLM).toMatch(/^Exit code 3 after [\d.]+ s\.\na\n$/);
      expect(result.data).not.toHaveProperty('endedProcesses');
    });

    it('names five, and tells a name that is meant to pass for something else', async () => {
      const { run } = await commands({ isolation });
      const many =
        'for i in 1 2 3 4 5 6 7; do sleep 1000 & done; name="$(printf "a) R\\033[1m")"; cp "$(command -v sleep)" "$name"; "./$name" 1000 & exit';
      const { forLLM } = await run(['bash', '-c', many]);
      expect(forLLM).not.toContain('\u001B');
      expect(forLLM).toMatch(process.platform === 'linux' ? /and 3 more\) were ended with it/ : /were ended with it/);
    });
  });

it.skipIf(process.platform === 'win32')('a process that detached itself and holds the output is named', async () => {
  verifies('toolbox.commands.left');
  const { run } = await commands();
  // Once its input has ended: until then this process may not have seen yet what it was given to write to.
  const script =
    'process.stdin.resume().on("end", () => { const c = require("child_process").spawn("sleep", ["1000"], { detached: true, stdio: "inherit" }); c.unref(); console.log(c.pid) })';
  const { forLLM } = await run([process.execPath, '-e', script]);
  expect(forLLM).toMatch(
    process.platform === 'linux'
      ? /s\. What it detached from itself \(sleep\) still runs; its output is no longer read\.\n\d+\n/
      : /A process that it detached from itself may still run; its output is no longer read\.\n\d+\n/,
  );
  process.kill(Number(/^\d+$/m.exec(forLLM)?.[0]), 'SIGKILL');
});

/**
 * A script that leaves the session of the command once its input has ended, and prints the id of what it has started.
 */
const DETACH =
  'cat; setsid sleep 1000 >/dev/null 2>&1 & until [ "$(cat /proc/$!/comm)" = sleep ]; do :; done; echo "pid $!"';
/** The id that it prints. */
const pidIn = (text: string): number => Number(/^pid (\d+)$/m.exec(text)?.[1] ?? expect.fail(text));
/** Whether a process runs: one that has ended may be listed until somebody asks for its exit code. */
const isRunning = (pid: number): boolean =>
  existsSync(`/proc/${pid}/stat`) && !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));

describe('a process that detached itself and holds no output', { skip: process.platform !== 'linux' }, () => {
  it('is named', async () => {
    verifies('toolbox.commands.left');
    const { run } = await commands();
    const { forLLM } = await run(['bash', '-c', DETACH]);
    expect(forLLM).toMatch(/^Exit code 0 after [\d.]+ s\. What it detached from itself \(sleep\) still runs;/);
    process.kill(pidIn(forLLM), 'SIGKILL');
  });

  it.each([['a timeout'], ['stop_command']])('is ended with the command at %s', async (how) => {
    verifies('toolbox.commands.left');
    const { run, use } = await commands();
    const command = ['bash', '-c', `${DETACH}; sleep 1000`];
    let text = '';
    if (how === 'a timeout') {
      const clock = virtualTimers();
      const { saw, onProgress } = progress();
      void run(command, { timeout_seconds: 1 }, { onProgress }).then(({ forLLM }) => (text = forLLM));
      await saw('pid');
      await clock.advance(1000);
      // Time goes on by as much as is waited: its output is held for a while.
      await vi.waitUntil(() => text !== '', 60_000);
      clock.end();
    } else {
      await run(command, { background: true });
      text = (await use('read_output', { id: 'command-1', wait_seconds: 60 })).forLLM;
      text += (await use('stop_command', { id: 'command-1' })).forLLM;
    }
    const pid = pidIn(text);
    expect(text).not.toContain('detached');
    await vi.waitFor(() => expect(isRunning(pid)).toBe(false), 60_000);
  });
});

it(
  'a command in the background is told what keeps its processes running',
  { skip: process.platform === 'win32' },
  async () => {
    verifies('toolbox.commands.left');
    const { run, use } = await commands();
    await run(['bash', '-c', `sleep 1000 >/dev/null 2>&1 & ${IS_SLEEPING}; echo on`], { background: true });
    let text = '';
    do text = (await use('read_output', { id: 'command-1', wait_seconds: 60 })).forLLM;
    while (text.startsWith('It runs.'));
    expect(text).toMatch(/were ended with it; the command itself has to go on, for example with wait at its end\./);
    expect(text).not.toContain('background: true');
  },
);
