import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { callTool, type ToolContext, type ToolResult } from '@kernel/protocol';
import { createRegistry } from '@kernel/tools';
import { onTestFinished, vi } from 'vitest';
import { type CommandOptions, commandTools } from '../../src/commands/index.ts';
import { createWorkspace } from '../../src/workspace/index.ts';
import { fakeTerminals } from './fake-terminals.ts';

/** An empty folder outside of any folder for temporary files that isolation replaces. Removed after the test. */
export async function emptyFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'commands-')));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

interface Options extends Partial<CommandOptions> {
  /** Whether commands run in the terminals of an editor. */
  readonly isInTerminal?: boolean;
}

/** Where commands run: what holds in one holds in the other. */
export const PLACES = [
  { place: 'in a process', isInTerminal: false },
  { place: 'in a terminal', isInTerminal: true },
] as const;

/** Command tools over an empty folder, called as a model would. */
export async function commands({ isInTerminal = false, ...options }: Options = {}) {
  const editor = fakeTerminals();
  const folder = await emptyFolder();
  const workspace = await createWorkspace({ root: folder, write: ['**'] });
  const { tools, close } = commandTools({
    workspace,
    isolation: 'none',
    ...(isInTerminal ? { terminals: editor.terminals } : {}),
    ...options,
  });
  onTestFinished(close);
  const registry = createRegistry(tools);
  const run = (
    command: readonly string[],
    rest: Readonly<Record<string, unknown>> = {},
    context: Partial<ToolContext> = {},
  ): Promise<ToolResult> => {
    // In a terminal, what a command writes is seen there.
    editor.follow(context.onProgress);
    return callTool(
      registry,
      {
        type: 'tool-call',
        id: 'call',
        name: 'run_command',
        arguments: JSON.stringify({ command, ...rest }),
      },
      { signal: new AbortController().signal, ...context },
    );
  };
  const use = (name: string, input: object) => registry.execute(name, { ...input });
  return { folder, run, use, close, editor };
}

/** Timers that pass only when they are told to, until `end` or the end of the test. What processes do is real, and noticed before a time limit is. */
export function virtualTimers() {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const end = () => void vi.useRealTimers();
  onTestFinished(end);
  const advance = async (ms: number): Promise<void> => {
    vi.advanceTimersByTime(ms);
    await new Promise(setImmediate);
  };
  return { advance, end };
}

/** What a command writes, and a way to wait for a word and the number after it. */
export function progress() {
  let text = '';
  const waiting = new Set<() => void>();
  return {
    onProgress: (update: string): void => {
      text += update;
      for (const check of waiting) check();
    },
    saw: (word: string): Promise<RegExpMatchArray> =>
      new Promise((resolve) => {
        const check = (): void => {
          const found = text.match(new RegExp(`${word}(?: (\\d+)\n)?`));
          if (found === null) return;
          waiting.delete(check);
          // What arrived beside it is read first.
          setImmediate(() => resolve(found));
        };
        waiting.add(check);
        check();
      }),
  };
}
