import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { signalGroup } from '@kernel/internal';
import type { RunningTerminal, TerminalCommand, TerminalOptions, Terminals } from '../../src/commands/index.ts';

/**
 * Terminals made of child processes. As an editor, they have variables and an open input of their own, keep the last part of the output, and end the processes of
 * a terminal with it.
 */
export function fakeTerminals(change: (terminal: RunningTerminal) => RunningTerminal = (same) => same) {
  const calls: (TerminalCommand & Pick<TerminalOptions, 'callId'> & { readonly pid: number })[] = [];
  const open = new Set<number>();
  let onOutput: ((text: string) => void) | undefined;
  const terminals: Terminals = {
    start: async (command, { callId }) => {
      const { args, cwd, maxOutputBytes, program, variables } = command;
      const env = { ...process.env, EDITOR_KEY: 'a key of the editor', ...variables };
      const child = spawn(program, args, { cwd, env, detached: true });
      await once(child, 'spawn');
      const pid = child.pid ?? 0;
      calls.push({ ...command, callId, pid });
      open.add(pid);
      let text = '';
      let isTruncated = false;
      for (const stream of [child.stdout, child.stderr])
        stream.setEncoding('utf8').on('data', (more: string) => {
          isTruncated ||= text.length + more.length > maxOutputBytes;
          text = (text + more).slice(-maxOutputBytes);
          onOutput?.(more);
        });
      const end = () => void signalGroup(pid, 'SIGKILL');
      return change({
        output: async () => ({ text, isTruncated }),
        ended: new Promise((resolve) => {
          child.once('exit', end);
          child.once('close', (exitCode, signal) => resolve({ exitCode, signal }));
        }),
        kill: async () => end(),
        release: async () => {
          end();
          if (!open.delete(pid)) throw new Error('released twice');
        },
      });
    },
  };
  return { terminals, calls, open, follow: (listener: typeof onOutput) => void (onOutput = listener) };
}
