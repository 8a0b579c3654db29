import { errorMessage, isObject, onAbort, type Redactor, untilAborted } from '@kernel/internal';
import {
  type CallContext,
  errorResult,
  type FinishReason,
  KernelError,
  type RunningCall,
  type ToolCall,
  type ToolResult,
  type Usage,
} from '@kernel/protocol';
import type { CheckedOptions } from '../check-options.ts';
import { copyWorkspace, type WorkspaceCopy } from '../copy/copy-workspace.ts';
import type { CommandsInCopy } from '../options.ts';
import { createClient } from '../requests/client.ts';
import { createDecisions, type Decision } from '../requests/decisions.ts';
import { createAgentTerminals } from '../requests/terminals.ts';
import { type AgentProcess, endsWithin, type StartAgent } from './agent-process.ts';
import { guardStream, protocolError } from './guarded-stream.ts';
import { openAgentSession, toReportedError } from './open-session.ts';
import { serverCall } from './own-call.ts';
import { type AgentOutput, createUpdates } from './updates.ts';
import { finishReasonOf, isOverBudget, toUsage } from './usage.ts';

/** What comes of an agent, in order. After an `end` or an `error` comes nothing. */
export type SessionEvent =
  | AgentOutput
  /** It asks for something that is to be decided on. */
  | { readonly type: 'request'; readonly call: ToolCall }
  | { readonly type: 'end'; readonly finishReason: FinishReason; readonly usage: Usage | undefined }
  | { readonly type: 'error'; readonly error: KernelError };

/** An agent at work on one task. */
export type AgentSession = Awaited<ReturnType<typeof startSession>>;

interface SessionSetup {
  readonly start: StartAgent;
  readonly task: string;
  readonly signal: AbortSignal;
  readonly redactor: Redactor;
  readonly onProgress: (update: string) => void;
  /** The decision on the same call before the agent began anew; undefined if there is none. */
  readonly earlierDecision: (call: ToolCall) => Decision | undefined;
  /** The number of the first request. */
  readonly firstRequest: number;
}

interface StartedAgent {
  readonly copy: WorkspaceCopy;
  readonly agent: AgentProcess;
  readonly commands: CommandsInCopy | undefined;
  /** Aborts when its time is over: that ends the agent, and not what is made of its changes. */
  readonly timeLimit: AbortSignal;
}

const CANCEL_GRACE_MS = 500;

/** Copies the workspace, starts the agent in it and gives it the task. Rejects with a `KernelError`, or the reason of an abort, and leaves nothing behind then. */
export async function startSession(options: CheckedOptions, setup: SessionSetup) {
  const { timeMs } = options.limits;
  const time = new AbortController();
  const onTime = (): void =>
    time.abort(new KernelError('LIMIT_REACHED', `The agent had not ended after ${timeMs} ms (limits.timeMs).`));
  const timer = timeMs === undefined ? undefined : setTimeout(onTime, timeMs);
  const signal = AbortSignal.any([setup.signal, time.signal]);
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
    agent = await setup.start(options, copy.folder);
    const session = await connect(options, setup, { copy, agent, commands, timeLimit: time.signal });
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

/** Connects to a running agent, opens a session and gives it the task. */
async function connect(
  options: CheckedOptions,
  setup: SessionSetup,
  { copy, agent, commands, timeLimit }: StartedAgent,
) {
  const sdk = await import('@agentclientprotocol/sdk/unstable');
  const { limits, name, workspace } = options;
  const { redactor } = setup;
  const failure = Promise.withResolvers<never>();
  failure.promise.catch(() => undefined);
  const events: SessionEvent[] = [];
  let wake = (): void => undefined;
  let sessionId: string | undefined;
  let isOver = false;
  let isCancelling = false;
  let turnUsage: Usage | undefined;
  let silence: NodeJS.Timeout | undefined;

  const push = (event: SessionEvent): void => {
    events.push(event);
    wake();
  };
  const emit = (output: AgentOutput): void => {
    const last = events.at(-1);
    // A reader that is slow gets long pieces, not many.
    if ((output.type === 'text' || output.type === 'reasoning') && last?.type === output.type) last.text += output.text;
    else push(output);
  };
  const finish = (last?: SessionEvent): void => {
    if (isOver) return;
    isOver = true;
    clearTimeout(silence);
    updates.flush();
    if (last !== undefined) push(last);
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

  const decisions = createDecisions({
    ...setup,
    agent: name,
    secrets: Object.values(options.env),
    first: setup.firstRequest,
    onRequest: (call) => {
      updates.flush();
      push({ type: 'request', call });
    },
  });
  const terminals = commands && createAgentTerminals(commands.tools, redactor, onActivity);
  const updates = createUpdates({
    textCharacters: limits.textCharacters,
    emit,
    onProgress: setup.onProgress,
    onUsage: (tokens) => {
      if (isOverBudget(limits, tokens))
        throw new KernelError('LIMIT_REACHED', `The agent has used ${tokens} tokens, which is beyond its limits.`, {
          hint: 'limits.tokens or limits.cost allow more.',
        });
    },
    redactor,
    outputOf: (id) => terminals?.find(id)?.output ?? '',
  });
  const onUpdate = (params: unknown): void => {
    if (!isObject(params) || params['sessionId'] !== sessionId || !isObject(params['update'])) return;
    if (!isOver) updates.read(params['update']);
    else if (isCancelling) updates.readUsage(params['update']);
  };
  const client = createClient(sdk, {
    folder: copy.folder,
    workspace,
    updates,
    decisions,
    terminals,
    sessionId: () => (isOver ? undefined : sessionId),
    signal: setup.signal,
    onCommandEnd(call, result) {
      updates.flush();
      for (const part of serverCall(call, result)) emit(part);
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
    sessionId = await untilAborted(Promise.race([opening, failure.promise]), setup.signal);
  } catch (error) {
    finish();
    connection.close();
    throw error;
  } finally {
    clearTimeout(startTimer);
  }
  if (!isOver) silence = setTimeout(onSilence, limits.silenceMs);
  const turn = connection.agent
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
    /** Removes and returns what came first; undefined if there is nothing now. */
    next: () => events.shift(),
    /** Resolves when there is something to return. */
    untilReady: (): Promise<void> =>
      events.length > 0 ? Promise.resolve() : new Promise((resolve) => void (wake = resolve)),
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
    /** Takes the task back if it is not done, and gives the agent a moment to end its turn. Resolves to what that has used, if the agent tells it. */
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
