import { errorMessage, isObject, onAbort, untilAborted } from '@kernel/internal';
import {
  type CallContext,
  errorResult,
  KernelError,
  type RunningCall,
  type ToolCall,
  type ToolResult,
  type Usage,
} from '@kernel/protocol';
import type { CheckedOptions } from '../check-options.ts';
import type { WorkspaceCopy } from '../copy/copy-workspace.ts';
import type { CommandsInCopy } from '../options.ts';
import { createClient } from '../requests/client.ts';
import { createDecisions } from '../requests/decisions.ts';
import { createAgentTerminals } from '../requests/terminals.ts';
import { type AgentProcess, endsWithin } from './agent-process.ts';
import { guardStream, protocolError } from './guarded-stream.ts';
import { openAgentSession, toReportedError } from './open-session.ts';
import { type Fields, serverCall } from './own-call.ts';
import { createEvents, type SessionEvent } from './session-events.ts';
import type { AgentTask, Decision } from './task.ts';
import { createUpdates } from './updates.ts';
import { finishReasonOf, toUsage } from './usage.ts';

interface StartedAgent {
  readonly copy: WorkspaceCopy;
  readonly agent: AgentProcess;
  readonly commands: CommandsInCopy | undefined;
  /** Aborts when its time is over: that ends the agent, and not what is made of its changes. */
  readonly timeLimit: AbortSignal;
}

const CANCEL_GRACE_MS = 500;

/** Connects to a running agent, opens a session and gives it the task. */
export async function connect(
  options: CheckedOptions,
  task: AgentTask,
  { copy, agent, commands, timeLimit }: StartedAgent,
) {
  const sdk = await import('@agentclientprotocol/sdk/unstable');
  const { limits, name, workspace } = options;
  const failure = Promise.withResolvers<never>();
  failure.promise.catch(() => undefined);
  const events = createEvents();
  let sessionId: string | undefined;
  let isOver = false;
  let isCancelling = false;
  let turnUsage: Usage | undefined;
  let silence: NodeJS.Timeout | undefined;

  const finish = (last?: SessionEvent): void => {
    if (isOver) return;
    isOver = true;
    clearTimeout(silence);
    updates.flush();
    if (last !== undefined) events.push(last);
    decisions.refuseAll('The turn of the agent has ended.');
  };
  const fail = (error: unknown): void => {
    const known = KernelError.is(error) ? error : new KernelError('TOOL_FAILED', errorMessage(error), { cause: error });
    failure.reject(known);
    finish({ type: 'error', error: known });
  };
  const failLate = (what: string): void => fail(new KernelError('PROVIDER_TIMEOUT', `The agent ${what}.`));
  const onActivity = (): void => void (isOver || silence?.refresh());
  const onSilence = (): void => {
    if (decisions.waiting() > 0 || (terminals?.running() ?? 0) > 0) onActivity();
    else failLate(`said nothing for ${limits.silenceMs} ms (limits.silenceMs)`);
  };

  const decisions = createDecisions(options, task, (call) => {
    updates.flush();
    events.push({ type: 'request', call });
  });
  const terminals = commands && createAgentTerminals(commands.tools, task.redactor, onActivity);
  const updates = createUpdates(options, task, {
    emit: (output) => events.push(output),
    outputOf: (id) => terminals?.find(id)?.output ?? '',
  });
  const onUpdate = (params: unknown): void => {
    if (sessionId === undefined || !isObject(params) || params['sessionId'] !== sessionId) return;
    const { update }: Fields = params;
    if (!isObject(update)) return;
    if (!isOver) updates.read(update);
    else if (isCancelling) updates.readUsage(update);
  };
  const client = createClient(sdk, {
    folder: copy.folder,
    workspace,
    updates,
    decisions,
    terminals,
    sessionId: () => (isOver ? undefined : sessionId),
    signal: task.signal,
    onCommandEnd(call, result) {
      updates.flush();
      for (const part of serverCall(call, result)) events.push(part);
    },
    onAnswer: onActivity,
  });
  const messages = sdk.ndJsonStream(...agent.streams, { maxMessageBytes: limits.messageBytes });
  const connection = client.connect(guardStream(messages, { onMessage: onActivity, onUpdate }));
  void connection.closed.then(() => {
    const reason: unknown = connection.signal.reason;
    if (reason instanceof sdk.MessageTooLargeError)
      return fail(protocolError(`a message is longer than ${limits.messageBytes} bytes (limits.messageBytes)`));
    if (KernelError.is(reason)) return fail(reason);
    // Its output is closed: it has ended, or does nothing more of use.
    return isOver ? undefined : agent.close();
  });
  const hint = 'It may not speak the Agent Client Protocol: many agents do so with a flag alone, such as --acp.';
  void agent.ended.then((how) =>
    fail(new KernelError('PROVIDER_PROTOCOL', how, { hint: sessionId === undefined ? hint : undefined })),
  );
  onAbort(timeLimit, () => fail(timeLimit.reason));

  const startTimer = setTimeout(
    () => failLate(`was not ready within ${limits.startMs} ms (limits.startMs)`),
    limits.startMs,
  );
  const opening = openAgentSession(sdk, connection, options, copy.folder).catch(async (error: unknown) => {
    const reported = toReportedError(error, name);
    if (KernelError.is(reported)) throw reported;
    // The connection broke: how the agent ended says why.
    await agent.close();
    return failure.promise;
  });
  opening.catch(() => undefined);
  try {
    sessionId = await untilAborted(Promise.race([opening, failure.promise]), task.signal);
  } catch (error) {
    finish();
    connection.close();
    throw error;
  } finally {
    clearTimeout(startTimer);
  }
  if (!isOver) silence = setTimeout(onSilence, limits.silenceMs);
  const turn = connection.agent
    .request('session/prompt', { sessionId, prompt: [{ type: 'text', text: task.text }] })
    .then(({ stopReason, usage }) => {
      turnUsage = toUsage(usage);
      return finish({ type: 'end', finishReason: finishReasonOf(stopReason), usage: turnUsage });
    })
    .catch((error: unknown) => {
      // How a connection ended is said where that is known.
      if (!connection.signal.aborted) fail(toReportedError(error, name));
    });

  return {
    copy,
    next: events.next,
    untilReady: events.untilReady,
    isWaiting: (callId: string) => decisions.isWaiting(callId),
    contextTokens: () => updates.contextTokens(),
    /** Answers a request for permission, or refuses a command. One that was answered before stays answered. */
    decide(callId: string, decision: Decision): void {
      decisions.decide(callId, decision);
      onActivity();
    },
    /** Runs a command that was decided on; resolves with its end, or when the agent wants something else meanwhile. */
    runCommand(call: ToolCall, context: CallContext & RunningCall): Promise<ToolResult> {
      const running = decisions.run(call, context);
      if (running === undefined)
        return Promise.resolve(errorResult('The agent that asked for this command has ended: it was not run.'));
      const goesOn = decisions
        .untilNextRequest()
        .then((): ToolResult => ({ forLLM: 'The command is still running; the agent has asked for something else.' }));
      return Promise.race([running, goesOn]);
    },
    /** Cancels an unfinished task, and waits a moment for the turn to end. Resolves to its usage if it is reported. */
    async cancel(): Promise<Usage | undefined> {
      if (isOver) return turnUsage;
      finish();
      isCancelling = true;
      await connection.agent.notify('session/cancel', { sessionId }).catch(() => undefined);
      await endsWithin(turn, CANCEL_GRACE_MS);
      isCancelling = false;
      return turnUsage;
    },
    /** Ends the agent and its commands. The copy stays. */
    async endWork(): Promise<void> {
      finish();
      connection.close();
      await Promise.all([agent.close(), terminals?.close()]);
    },
  };
}
