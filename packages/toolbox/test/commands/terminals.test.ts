import { verifies } from '@kernel/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  type CommandOptions,
  containerIsolation,
  type Isolation,
  type RunningTerminal,
  type TerminalEnd,
  type Terminals,
} from '../../src/commands/index.ts';
import { newOutput } from '../../src/commands/terminal/new-output.ts';
import { commands, virtualTimers } from './support.ts';

const never = <T>(): Promise<T> => new Promise(() => {});
const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** A rejection that somebody looks at later. */
function lost(reason: string): Promise<never> {
  const rejected = Promise.reject(new Error(reason));
  rejected.catch(() => undefined);
  return rejected;
}

/** A terminal that answers what it is told to, and notes what it was asked. */
function scripted(change: Partial<RunningTerminal> = {}) {
  const asked: string[] = [];
  const terminal: RunningTerminal = {
    output: async () => ({ text: 'text\n', isTruncated: false }),
    ended: Promise.resolve({ exitCode: 0 }),
    kill: async () => void asked.push('kill'),
    release: async () => void asked.push('release'),
    ...change,
  };
  const terminals: Terminals = { start: async () => terminal };
  return { asked, terminal, terminals };
}

/** Lets virtual time pass until a promise has settled; returns it and how many milliseconds it took. */
async function timeOf<T>(work: Promise<T>, clock: ReturnType<typeof virtualTimers>) {
  const state = { isSettled: false };
  const settled = work.finally(() => (state.isSettled = true));
  let tookMs = 0;
  for (; tookMs < 120_000; tookMs += 100) {
    await turn();
    if (state.isSettled) break;
    await clock.advance(100);
  }
  return { value: await settled, tookMs };
}

describe('a command in a terminal of somebody who decides on it', () => {
  it('is given as it is, is not isolated once more, and waits for the decision', async () => {
    verifies('toolbox.terminals.decided');
    const clock = virtualTimers();
    const given: unknown[] = [];
    const [asked, decision] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const terminals: Terminals = {
      decidesOnCommands: true,
      start: async ({ program, args, variables }) => {
        given.push([program, ...args], variables);
        asked.resolve();
        await decision.promise;
        return scripted().terminal;
      },
    };
    const isolation: Isolation = {
      name: 'none that works',
      wrap: () => {
        throw new Error('isolated twice');
      },
    };
    const { run } = await commands({ terminals, isolation });
    const running = run(['no-such-program', 'a b']);
    await asked.promise;
    await clock.advance(3_600_000);
    decision.resolve();
    const { forLLM } = await running;
    expect(given).toEqual([['no-such-program', 'a b'], {}]);
    expect(forLLM).toContain('text');
    expect(forLLM).not.toContain('isolate');
  });
});

describe('isolation in terminals', () => {
  const isolations: readonly [string, Isolation][] = [
    ['a container', containerIsolation({ image: 'x' })],
    [
      'one that says nothing of terminals',
      { name: 'own', wrap: ({ command, variables }) => wrapped(command, variables) },
    ],
  ];
  const wrapped = ([program = '', ...args]: readonly string[], variables: Readonly<Record<string, string>>) => ({
    program: `/usr/bin/${program}`,
    args,
    variables,
  });

  it.each(isolations)('goes before the terminal: %s runs in a process of this program', async (_name, isolation) => {
    verifies('toolbox.terminals.isolation');
    const { run, editor } = await commands({ isInTerminal: true, isolation });
    await run(['echo', 'ran']);
    expect(editor.calls).toEqual([]);
  });
});

describe('an editor', () => {
  const withTerminals = async (terminals: Terminals, options: Partial<CommandOptions> = {}) =>
    commands({ terminals, ...options });

  it.each<[string, () => Partial<RunningTerminal>, string]>([
    [
      'that ends a command before it has written',
      () => ({ output: async () => ({ text: '', isTruncated: false }) }),
      'Exit code 0 after 0.0 s.\n(no output)',
    ],
    ['that says nothing of the end', () => ({ ended: Promise.resolve({}) }), 'It ended without an exit code after'],
    [
      'that says nonsense of the end',
      () => ({ ended: Promise.resolve({ exitCode: 'no', signal: 7 } as unknown as TerminalEnd) }),
      'It ended without an exit code after',
    ],
    [
      'that names a signal with control characters',
      () => ({ ended: Promise.resolve({ signal: 'SIG\u001B[2J' }) }),
      'It was ended by SIG\\x1b[2J',
    ],
    [
      'that says null where nothing is',
      () => ({ ended: Promise.resolve({ exitCode: 2, signal: null }) }),
      'Exit code 2',
    ],
    [
      'whose output fails',
      () => ({ output: () => Promise.reject(new Error('gone')) }),
      'did not return the output of the command',
    ],
    [
      'whose output is no text',
      () => ({ output: async () => ({ text: 7 }) as never }),
      'did not return the output of the command',
    ],
    [
      'that floods',
      () => ({ output: async () => ({ text: 'x'.repeat(50_000_000), isTruncated: false }) }),
      'bytes left out',
    ],
    [
      'that loses the terminal',
      () => ({ ended: lost('closed\u001B[2J') }),
      'The editor lost the terminal of the command, which may still run: closed\\x1b[2J.',
    ],
    ['whose release fails', () => ({ release: () => Promise.reject(new Error('no')) }), 'Exit code 0'],
  ])('%s gives a result that is true', async (_name, change, said) => {
    verifies('toolbox.terminals.hostile');
    const changed = change();
    const { asked, terminals } = scripted(changed);
    const { run } = await withTerminals(terminals);
    const { forLLM } = await run(['true']);
    expect(forLLM).toContain(said);
    expect(forLLM.length).toBeLessThan(40_000);
    expect(asked).toEqual(changed.release === undefined ? ['release'] : []);
  });

  it('that cannot start a command says why', async () => {
    verifies('toolbox.terminals.hostile');
    const { run } = await withTerminals({ start: () => Promise.reject(new Error('no shell')) });
    expect(await run(['true'])).toMatchObject({
      isError: true,
      forLLM: 'TOOL_FAILED: The editor could not start the command: no shell.',
    });
  });

  it('that hangs when it is to start is given up, and what it starts later is released', async () => {
    verifies('toolbox.terminals.hostile');
    let lose: (error: Error) => void = () => {};
    const ended = new Promise<TerminalEnd>((_resolve, reject) => void (lose = reject));
    const { asked, terminal } = scripted({ ended });
    let begin: (terminal: RunningTerminal) => void = () => {};
    const { run } = await withTerminals({ start: () => new Promise((resolve) => void (begin = resolve)) });
    const clock = virtualTimers();
    const { value, tookMs } = await timeOf(run(['true']), clock);
    expect(value.forLLM).toContain('did not start the command within 30000 ms');
    expect(tookMs).toBeLessThanOrEqual(30_200);
    begin(terminal);
    await turn();
    expect(asked).toEqual(['release']);
    const stop = new AbortController();
    const aborted = run(['true'], {}, { signal: stop.signal });
    await turn();
    stop.abort();
    await aborted;
    begin(terminal);
    await turn();
    expect(asked).toEqual(['release', 'release']);
    // Nobody waits for it any more.
    lose(new Error('released'));
    await turn();
  });

  it('that never says that a command has ended: the time limit ends it, with its output', async () => {
    verifies('toolbox.terminals.hostile');
    let end: (how: TerminalEnd) => void = () => {};
    const { asked, terminals } = scripted({
      ended: new Promise((resolve) => void (end = resolve)),
      kill: async () => {
        asked.push('kill');
        end({ signal: 'SIGKILL' });
      },
    });
    const { run } = await withTerminals(terminals);
    const clock = virtualTimers();
    const { value, tookMs } = await timeOf(run(['true'], { timeout_seconds: 3 }), clock);
    expect(value).toMatchObject({ isError: true, outcome: 'timeout' });
    expect(value.forLLM).toMatch(/longer than 3 s\.\ntext\n$/);
    expect(asked).toEqual(['kill', 'release']);
    expect(tookMs).toBeLessThanOrEqual(3_200);
  });

  it('that answers nothing any more holds a command up for seconds, and the result says that it may still run', async () => {
    verifies('toolbox.terminals.hostile');
    const { terminals } = scripted({ ended: never(), output: never, kill: never, release: never });
    const { run } = await withTerminals(terminals);
    const clock = virtualTimers();
    const { value, tookMs } = await timeOf(run(['true'], { timeout_seconds: 3 }), clock);
    expect(value.forLLM).toContain('A detached process may still be running');
    expect(tookMs).toBeLessThan(12_000);
  });

  it('whose background command says more each time is asked for what is new', async () => {
    verifies('toolbox.terminals.hostile');
    let text = '';
    let end: (how: TerminalEnd) => void = () => {};
    const ended = new Promise<TerminalEnd>((resolve) => void (end = resolve));
    const { asked, terminals } = scripted({ output: async () => ({ text, isTruncated: false }), ended });
    const { run, use } = await withTerminals(terminals);
    const clock = virtualTimers();
    await run(['true'], { background: true });
    const next = async (more: string): Promise<string> => {
      text += more;
      await turn();
      await clock.advance(500);
      await turn();
      return (await use('read_output', { id: 'command-1' })).forLLM;
    };
    expect(await next('one\n')).toBe('It runs.\none\n');
    expect(await next('two\n')).toBe('It runs.\ntwo\n');
    expect(await next('')).toBe('It runs.\n(no new output)');
    end({ exitCode: 0 });
    await turn();
    expect(await next('last\n')).toContain('Exit code 0');
    expect(asked).toEqual(['release']);
  });

  it('that hangs does not keep the tools from being closed', async () => {
    verifies('toolbox.terminals.hostile');
    const { terminals } = scripted({ ended: never(), output: never, kill: never, release: never });
    const { run, close } = await withTerminals(terminals);
    const clock = virtualTimers();
    onTestFinished(() => clock.end());
    await run(['true'], { background: true });
    await turn();
    expect((await timeOf(close(), clock)).tookMs).toBeLessThan(12_000);
  });
});

it.each([
  ['more lines', 'a\n', 'a\nb\n', false, 'b\n'],
  ['a line that was written over', 'a\n10%', 'a\n20%', false, '20%'],
  ['a screen that was cleared', 'a\nb\n', 'c\n', false, 'c\n'],
  ['nothing', 'a\n', 'a\n', false, ''],
  ['what follows a beginning that was dropped', 'one\ntwo\nthree\n', 'two\nthree\nfour\n', true, 'four\n'],
  ['a window without anything known', 'one\n', 'nine\n', true, '… (what was before is left out) …\nnine\n'],
  ['lines that are alike', 'x\nx\nx\n', 'x\nx\nx\nx\n', true, 'x\n'],
])('what is new in an output: %s', (_name, before, text, isTruncated, found) => {
  verifies('toolbox.terminals.run');
  expect(newOutput(before, { isTruncated, text })).toBe(found);
});
