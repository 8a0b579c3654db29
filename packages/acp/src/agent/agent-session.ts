import { errorMessage, onAbort, type Redactor, untilAborted } from '@kernel/internal';
import { errorResult, KernelError, type ToolCall, type ToolResult, type Usage } from '@kernel/protocol';
import type { CheckedOptions } from '../check-options.ts';
import { copyWorkspace, type WorkspaceCopy } from '../copy/copy-workspace.ts';
import type { CommandsInCopy } from '../options.ts';
import { createClient } from '../requests/client.ts';
import { createDecisions, type Decision } from '../requests/decisions.ts';
import { createAgentTerminals } from '../requests/terminals.ts';
import { type AgentProcess, endsWithin, type StartAgent } from './agent-process.ts';
import { guardStream, protocolError } from './guarded-stream.ts';
import { endError, openAgentSession, timeoutError, toReportedError } from './open-session.ts';
import { commandOutput } from './own-call.ts';
import { createQueue } from './queue.ts';
import type { AgentSession, Sdk, SessionEvent } from './session-types.ts';
import { type AgentOutput, createUpdates } from './updates.ts';
import { finishReasonOf, isOverBudget, toUsage } from './usage.ts';

interface SessionSetup {
  readonly start: StartAgent;
  readonly task: string;
  readonly signal: AbortSignal;
  /** Ends the agent, and not what is made of its changes. */
  readonly timeLimit: AbortSignal;
  readonly redactor: Redactor;
  readonly onProgress: (update: string) => void;
  /** The decision on the same call before the agent began anew; undefined if there is none. */
  readonly earlierDecision: (call: ToolCall) => Decision | undefined;
  /** The number of the first request. */
  readonly firstRequest: number;
}

interface StartedAgent {
  readonly sdk: Sdk;
  readonly copy: WorkspaceCopy;
  readonly agent: AgentProcess;
  readonly commands: CommandsInCopy | undefined;
}

const CANCEL_GRACE_MS = 500;

/** Copies the workspace, starts the agent in it and gives it the task. Rejects with a `KernelError`, or the reason of an abort, and leaves nothing behind then. */
export async function startSession(options: CheckedOptions, setup: SessionSetup): Promise<AgentSession> {
  const signal = AbortSignal.any([setup.signal, setup.timeLimit]);
  const copy = await copyWorkspace(options.workspace, options.limits, signal);
  let agent: AgentProcess | undefined;
  let commands: CommandsInCopy | undefined;
  const closeAll = async (): Promise<void> => {
    await agent?.close();
    await commands?.close?.();
    await copy.close();
  };
  try {
    const sdk = await import('@agentclientprotocol/sdk/unstable');
    commands = await options.commands?.(copy.folder);
    signal.throwIfAborted();
    agent = await setup.start(options, copy.folder);
    const session = await connect(options, setup, { sdk, copy, agent, commands });
    const close = async (): Promise<void> => {
      await session.close();
      await closeAll();
    };
    return { ...session, close };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

/** Connects to a running agent, opens a session and gives it the task. Its `close` ends the agent. */
async function connect(
  options: CheckedOptions,
  setup: SessionSetup,
  { sdk, copy, agent, commands }: StartedAgent,
): Promise<AgentSession> {
  const { limits, name, workspace } = options;
  const queue = createQueue<SessionEvent>();
  const failure = Promise.withResolvers<never>();
  failure.promise.catch(() => undefined);
  let sessionId: string | undefined;
  let isOver = false;
  let isCancelling = false;
  let turnUsage: Usage | undefined;
  const openId = (): string | undefined => (isOver ? undefined : sessionId);

  const finish = (last: SessionEvent | undefined): void => {
    if (isOver) return;
    isOver = true;
    clearTimeout(silence);
    updates.flush();
    if (last !== undefined) queue.push(last);
    decisions.refuseAll('The turn of the agent has ended.');
  };
  const fail = (error: unknown): void => {
    const known = KernelError.is(error) ? error : new KernelError('TOOL_FAILED', errorMessage(error), { cause: error });
    failure.reject(known);
    finish({ type: 'error', error: known });
  };
  const onSilence = (): void => {
    if (decisions.waiting() > 0 || (terminals?.running() ?? 0) > 0) onActivity();
    else fail(timeoutError(`said nothing for ${limits.silenceMs} ms (limits.silenceMs)`));
  };
  let silence: NodeJS.Timeout | undefined;
  const onActivity = (): void => void (isOver || silence?.refresh());

  const decisions = createDecisions({
    ...setup,
    agent: name,
    secrets: Object.values(options.env),
    first: setup.firstRequest,
    onRequest: (call) => {
      updates.flush();
      queue.push({ type: 'request', call });
    },
  });
  const terminals = commands && createAgentTerminals(commands.tools, setup.redactor, onActivity);
  const emit = (output: AgentOutput): void => {
    const last = queue.last();
    // A reader that is slow gets long pieces, not many.
    if (output.type !== 'own-call' && last?.type === output.type) last.text += output.text;
    else queue.push(output);
  };
  const updates = createUpdates({
    textCharacters: limits.textCharacters,
    sessionId: openId,
    cancelledId: () => (isCancelling ? sessionId : undefined),
    emit,
    onProgress: setup.onProgress,
    onUsage: (tokens) => {
      if (isOverBudget(limits, tokens))
        throw new KernelError('LIMIT_REACHED', `The agent has used ${tokens} tokens, which is beyond its limits.`, {
          hint: 'limits.tokens or limits.cost allow more.',
        });
    },
    redactor: setup.redactor,
    outputOf: (id) => terminals?.find(id)?.output ?? '',
  });
  const client = createClient(sdk, {
    folder: copy.folder,
    workspace,
    updates,
    decisions,
    terminals,
    sessionId: openId,
    signal: setup.signal,
    onCommandEnd(call, result) {
      updates.flush();
      emit(commandOutput(call, result));
    },
    onAnswer: onActivity,
  });
  const bytes = sdk.ndJsonStream(...agent.streams, { maxMessageBytes: limits.messageBytes });
  const connection = client.connect(
    guardStream(bytes, { onMessage: onActivity, onUpdate: (params) => updates.read(params) }),
  );
  void connection.closed.then(async () => {
    const reason: unknown = connection.signal.reason;
    if (reason instanceof sdk.MessageTooLargeError)
      return fail(protocolError(`a message is longer than ${limits.messageBytes} bytes (limits.messageBytes)`));
    if (KernelError.is(reason)) return fail(reason);
    // Its output is closed: it has ended, or does nothing more of use.
    if (!isOver) await agent.close();
    return undefined;
  });
  void agent.ended.then((how) => fail(endError(how, sessionId !== undefined)));
  onAbort(setup.timeLimit, () => fail(setup.timeLimit.reason));

  let turn: Promise<unknown> = Promise.resolve();
  const endWork = async (): Promise<void> => {
    finish(undefined);
    connection.close();
    await Promise.all([agent.close(), terminals?.close()]);
  };
  const cancel = async (): Promise<Usage | undefined> => {
    const openedId = openId();
    finish(undefined);
    if (openedId === undefined) return turnUsage;
    isCancelling = true;
    await connection.agent.notify('session/cancel', { sessionId: openedId }).catch(() => undefined);
    await endsWithin(turn, CANCEL_GRACE_MS);
    isCancelling = false;
    return turnUsage;
  };

  let startTimer: NodeJS.Timeout | undefined;
  try {
    startTimer = setTimeout(
      () => fail(timeoutError(`was not ready within ${limits.startMs} ms (limits.startMs)`)),
      limits.startMs,
    );
    const opening = openAgentSession(sdk, connection, {
      ...options,
      folder: copy.folder,
      hasTerminals: terminals !== undefined,
    }).catch(async (error: unknown) => {
      const reported = toReportedError(error, name);
      if (KernelError.is(reported)) throw reported;
      // The connection broke: how the agent ended says why.
      await agent.close();
      return failure.promise;
    });
    opening.catch(() => undefined);
    sessionId = await untilAborted(Promise.race([opening, failure.promise]), setup.signal);
  } catch (error) {
    finish(undefined);
    connection.close();
    throw error;
  } finally {
    clearTimeout(startTimer);
  }
  if (!isOver) silence = setTimeout(onSilence, limits.silenceMs);
  turn = connection.agent
    .request('session/prompt', { sessionId, prompt: [{ type: 'text', text: setup.task }] })
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
    next: () => queue.shift(),
    untilReady: () => queue.untilFilled(),
    isWaiting: (callId) => decisions.isWaiting(callId),
    contextTokens: () => updates.contextTokens(),
    decide(callId, decision) {
      decisions.decide(callId, decision);
      onActivity();
    },
    runCommand(call, context) {
      const running = isOver ? undefined : terminals?.start(call, context);
      decisions.forget(call.id);
      if (running === undefined)
        return Promise.resolve(errorResult('The agent that asked for this command has ended: it was not run.'));
      const goesOn = decisions
        .untilNextRequest()
        .then((): ToolResult => ({ forLLM: 'The command is still running; the agent has asked for something else.' }));
      return Promise.race([running, goesOn]);
    },
    endWork,
    cancel,
    close: async () => {
      await cancel();
      await endWork();
    },
  };
}
