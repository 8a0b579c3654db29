import { onAbort } from '@kernel/internal';
import type { ToolContext } from '@kernel/protocol';
import { createOutputBuffer, type OutputBuffer } from './process/output-buffer.ts';
import type { ProcessEnd } from './process/start-process.ts';

export interface BackgroundCommand {
  readonly id: string;
  append(bytes: Uint8Array): void;
  takeOutput(): string;
  /** Resolves when there is output that was not taken yet, when the command has ended, after the time, in milliseconds, or on an abort. */
  wait(timeoutMs: number, signal: AbortSignal): Promise<void>;
  end(): ProcessEnd | Error | undefined;
  readonly controller: AbortController;
  readonly ended: Promise<void>;
}

type StartedCommand = Omit<BackgroundCommand, 'ended'>;

const MAX_KEPT = 50;

/** Creates the record of background commands. A run sees its own only. */
export function createBackgroundCommands(maxBytes: number) {
  const byRun = new WeakMap<object, BackgroundCommand[]>();
  const counts = new WeakMap<object, number>();
  const running = new Set<BackgroundCommand>();
  const withoutRun = {};
  // The signal of a turn is that of its run: the same in every call.
  const of = ({ turn }: ToolContext): BackgroundCommand[] => byRun.get(turn?.signal ?? withoutRun) ?? [];
  return {
    of,
    add(context: ToolContext, start: (command: StartedCommand) => Promise<ProcessEnd>): BackgroundCommand {
      const commands = of(context);
      byRun.set(context.turn?.signal ?? withoutRun, commands);
      const started = (counts.get(commands) ?? 0) + 1;
      counts.set(commands, started);
      // What has ended is forgotten some time, with its output.
      while (commands.length >= MAX_KEPT) {
        const oldest = commands.findIndex((each) => each.end() !== undefined);
        if (oldest === -1) break;
        commands.splice(oldest, 1);
      }
      const command = createCommand(`command-${started}`, maxBytes, start);
      commands.push(command);
      running.add(command);
      void command.ended.then(() => running.delete(command));
      return command;
    },
    async close(): Promise<void> {
      const all = [...running];
      for (const command of all) command.controller.abort();
      await Promise.all(all.map((command) => command.ended));
    },
  };
}

function createCommand(
  id: string,
  maxBytes: number,
  start: (command: StartedCommand) => Promise<ProcessEnd>,
): BackgroundCommand {
  let output: OutputBuffer = createOutputBuffer(maxBytes);
  let hasNew = false;
  let end: ProcessEnd | Error | undefined;
  const waiting = new Set<() => void>();
  const wake = (): void => {
    for (const resolve of waiting) resolve();
  };
  const command: StartedCommand = {
    id,
    controller: new AbortController(),
    append(bytes) {
      output.append(bytes);
      hasNew = true;
      wake();
    },
    takeOutput() {
      // The rest of a character or an escape comes with what follows.
      const rest = end === undefined ? output.unfinished() : new Uint8Array();
      const text = output.text(rest.length);
      output = createOutputBuffer(maxBytes);
      output.append(rest);
      hasNew = false;
      return text;
    },
    async wait(timeoutMs, signal) {
      if (hasNew || end !== undefined || timeoutMs <= 0) return;
      let release: (() => void) | undefined;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, timeoutMs);
        const removeAbort = onAbort(signal, resolve);
        waiting.add(resolve);
        release = () => {
          clearTimeout(timer);
          removeAbort();
          waiting.delete(resolve);
        };
      });
      release?.();
    },
    end: () => end,
  };
  const run = async (): Promise<void> => {
    try {
      end = await start(command);
    } catch (error) {
      end = error instanceof Error ? error : new Error(String(error));
    }
    wake();
  };
  return { ...command, ended: run() };
}
