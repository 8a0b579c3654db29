import { verifies } from '@kernel/testing';
import { describe, expect, it, vi } from 'vitest';
import { existsSync, readFileSync } from 'node:fs';
import { createBackgroundCommands } from '../../src/commands/background-commands.ts';
import { clean, createOutputBuffer, createProgress } from '../../src/commands/process/output-buffer.ts';
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

/** A script that leaves the session of the command once its input has ended, and prints the id of what it has started. */
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

describe('output with control characters', () => {
  it.each([
    ['a bell at the end', 'done\u0007\n', 'done\n'],
    ['a title that ends with a bell', '\u001B]0;my title: (1 of 2)\u0007done', 'done'],
    ['a link', '\u001B]8;;http://127.0.0.1/a b\u001B\\text\u001B]8;;\u001B\\', 'text'],
    [
      'images of a terminal',
      'a\u001B_Ga=T,f=100;aGVsbG8=\u001B\\b\u001BPq#0;2;0;0;0~~-\u001B\\c\u001B]1337;File=inline=1:aGVsbG8=\u0007d',
      'abcd',
    ],
    ['the end of all styles', '\u001B[1mbold\u001B(B\u001B[m', 'bold'],
    ['a title without an end', '\u001B]0;title\ndone', '0;title\ndone'],
    ['a spinner', '|\b/\b-\b\\\b \bdone', 'done'],
    ['bold print of a manual', 'N\bNA\bAM\bME\bE', 'NAME'],
    ['a backspace that is not written over', 'ab\b', 'ab'],
    ['pages', 'one\ftwo\vthree', 'one\ntwo\nthree'],
    ['names that end in NUL', 'a.txt\0b.txt\0', String.raw`a.txt\x00b.txt\x00`],
    ['shifts, deletes and C1 controls', '\u000E\u007F\u0085', String.raw`\x0e\x7f\x85`],
    ['an escape that was cut', 'red\u001B[3', 'red'],
    ['an escape that is none', 'a\u001Bz', String.raw`a\x1bz`],
  ])('such as %s reads as a terminal shows it, and nothing stays hidden', (_, output, shown) => {
    verifies('toolbox.commands.controls');
    expect(clean(new TextEncoder().encode(output))).toBe(shown);
  });

  it('gives a model no control character but line breaks and tabs', async () => {
    verifies('toolbox.commands.controls');
    const { run } = await commands();
    const { forLLM } = await run([
      process.execPath,
      '-e',
      'process.stdout.write(Buffer.from(Array.from({ length: 256 }, (_, i) => i)))',
    ]);
    expect(forLLM).not.toMatch(/(?![\n\t])\p{Cc}/u);
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

it('progress has whole characters and colours, however the output arrives', () => {
  const told: string[] = [];
  const output = createProgress((text) => told.push(text));
  const bytes = Buffer.from('a\u{1F600}b\u001B[31mred\u001B[0m end\u001B[3');
  for (const byte of bytes) output.add(Uint8Array.of(byte));
  output.add(Buffer.from(`m!${'\u00E9'.repeat(5000)}\u00E9`).subarray(0, -1));
  output.end();
  expect(told.slice(0, -2).join('')).toBe('a\u{1F600}bred end');
  expect(told.at(-2)).toMatch(/^!\u00E9{3997}$/);
});

it('output that is read while the command runs has whole characters and colours, however it arrives', async () => {
  verifies('toolbox.commands.characters');
  const ended = Promise.withResolvers<never>();
  const background = createBackgroundCommands(1000);
  const context = { callId: '1', toolName: 'run_command', signal: new AbortController().signal } as const;
  const command = background.add(context, () => ended.promise);
  const read: string[] = [];
  for (const byte of Buffer.from('a\u{1F600}b\u001B[31mred\u001B[0m\u00E9\u6F22')) {
    command.append(Uint8Array.of(byte));
    read.push(command.takeOutput());
  }
  expect(read.join('')).toBe('a\u{1F600}bred\u00E9\u6F22');
  command.append(Buffer.from('\u{1F600}').subarray(0, 2));
  expect(command.takeOutput()).toBe('');
  ended.reject(new Error('over'));
  await command.ended;
  expect(command.takeOutput()).not.toBe('');
});

it.each(['\u00E9', '\u6F22', '\u{1F600}'])('what is left out of output is whole characters, of %s', (character) => {
  for (const lead of ['', 'x', 'xy', 'xyz']) {
    const bytes = Buffer.from(`${lead}${character.repeat(500)}`);
    const output = createOutputBuffer(101);
    output.append(bytes);
    const [begin = '', left = '', end = ''] = output.text().split('\n');
    expect(character.repeat(500)).toContain(begin.slice(lead.length) + end);
    expect(left).toBe(`… ${bytes.length - Buffer.byteLength(begin + end)} bytes left out …`);
  }
});

it.each([
  ['\u202Etxt.exe\u202C', String.raw`\u202etxt.exe\u202c`],
  ['a\u200Bb\uFEFFc\u{E0061}', String.raw`a\u200bb\ufeffc\u{e0061}`],
  ['\u{1F468}\u200D\u{1F469} \uE0B0', '\u{1F468}\u200D\u{1F469} \uE0B0'],
])('what hides text or turns its direction is seen in output: %j', (output, shown) => {
  expect(clean(new TextEncoder().encode(output))).toBe(shown);
});
