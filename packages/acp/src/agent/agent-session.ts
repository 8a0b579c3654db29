import { KernelError } from '@kernel/protocol';
import type { CheckedOptions } from '../check-options.ts';
import { copyWorkspace, type WorkspaceCopy } from '../copy/copy-workspace.ts';
import type { CommandsInCopy } from '../options.ts';
import type { AgentProcess, StartAgent } from './agent-process.ts';
import { connect } from './connect.ts';
import type { AgentTask } from './task.ts';

/** An agent at work on one task. */
export type AgentSession = Awaited<ReturnType<typeof startSession>>;

/** Copies the workspace, starts the agent in it and gives it the task. Rejects with a `KernelError`, or the reason of an abort, and leaves nothing behind then. */
export async function startSession(
  options: CheckedOptions,
  { start, ...task }: AgentTask & { readonly start: StartAgent },
) {
  const { timeMs } = options.limits;
  const time = new AbortController();
  const onTime = (): void =>
    time.abort(new KernelError('LIMIT_REACHED', `The agent had not ended after ${timeMs} ms (limits.timeMs).`));
  const timer = timeMs === undefined ? undefined : setTimeout(onTime, timeMs);
  const signal = AbortSignal.any([task.signal, time.signal]);
  let copy: WorkspaceCopy | undefined;
  let agent: AgentProcess | undefined;
  let commands: CommandsInCopy | undefined;
  const closeAll = async (): Promise<void> => {
    clearTimeout(timer);
    await agent?.close();
    await commands?.close?.();
    await copy?.close();
  };
  try {
    copy = await copyWorkspace(options.workspace, options.limits, signal);
    commands = await options.commands?.(copy.folder);
    signal.throwIfAborted();
    agent = await start(options, copy.folder);
    const session = await connect(options, task, { copy, agent, commands, timeLimit: time.signal });
    /** Takes the task back if it is not done, ends the agent and its commands, and removes the copy. */
    const close = async (): Promise<void> => {
      await session.cancel();
      await session.endWork();
      await closeAll();
    };
    return { ...session, close };
  } catch (error) {
    await closeAll();
    throw error;
  }
}
