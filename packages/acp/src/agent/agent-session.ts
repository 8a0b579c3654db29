import { Readable, Writable } from 'node:stream';
import { errorMessage, sliceHead } from '@kernel/internal';
import {
  type CallContext,
  errorResult,
  type FinishReason,
  KernelError,
  type ToolCall,
  type ToolResult,
  type Usage,
} from '@kernel/protocol';
import type { CheckedOptions } from '../check-options.ts';
import { type Copy, copyFolder } from '../copy/copy-folder.ts';
import { readCopiedText, writeCopiedText } from '../copy/copied-text.ts';
import type { CommandsInCopy } from '../options.ts';
import { placeIn, questionOf } from '../requests/permission.ts';
import { createTerminals, MAX_TERMINALS, type Terminal, type Terminals } from '../requests/terminals.ts';
import { type AgentProcess, startAgent } from './agent-process.ts';
import { guardStream, protocolError } from './guarded-stream.ts';
import { createQueue } from './queue.ts';
import { openSession, toReportedError } from './open-session.ts';
import type { Connection, Sdk } from './sdk.ts';
import { finishReasonOf, toUsage } from './turn-end.ts';
import { createUpdates, isCount, type Said } from './updates.ts';

/** What comes of an agent, in order. After an `end` or an `error` comes nothing. */
export type FromAgent =
  | Said
  /** It asks for something that is to be decided on. */
  | { readonly type: 'request'; readonly call: ToolCall }
  | { readonly type: 'end'; readonly finishReason: FinishReason; readonly usage: Usage | undefined }
  | { readonly type: 'error'; readonly error: KernelError };

/** A decision on a request: that it is allowed, or the reason why it is not. */
export type Decision = { readonly isAllowed: true } | { readonly isAllowed: false; readonly reason: string };

/** An agent at work on one task. */
export interface AgentSession {
  readonly copy: Copy;
  /** Removes and returns what came first; undefined if there is nothing now. */
  take(): FromAgent | undefined;
  /** Resolves when there is something to take. */
  ready(): Promise<void>;
  /** Resolves when the agent waits for something that only another turn of the run gives it, or has ended. */
  needsTurn(): Promise<void>;
  /** Answers a request for permission, or refuses a command. One that was answered before stays answered. */
  settle(callId: string, decision: Decision): void;
  /** Runs a command that was decided on; resolves with its end, or when the agent wants something else meanwhile. */
  runCommand(call: ToolCall, context: CallContext): Promise<ToolResult>;
  /** Ends the agent and its commands. The copy stays. */
  endWork(): Promise<void>;
  /** Takes the task back if it is not done, ends the agent and its commands, and removes the copy. */
  close(): Promise<void>;
}

interface Setup {
  readonly task: string;
  readonly signal: AbortSignal;
  readonly onProgress: (update: string) => void;
  /** Decides on what was decided before, in the same words. */
  readonly decidedBefore: (call: ToolCall) => Decision | undefined;
  /** The number of the first request. */
  readonly firstRequest: number;
}

const CANCEL_GRACE_MS = 500;

/** Copies the workspace, starts the agent in it and gives it the task. Rejects with a `KernelError`, or the reason of an abort, and leaves nothing behind then. */
export async function startSession(options: CheckedOptions, setup: Setup): Promise<AgentSession> {
  const { signal } = setup;
  const copy = await copyFolder(options.workspace, options.limits, signal);
  let agent: AgentProcess | undefined;
  let commands: CommandsInCopy | undefined;
  let session: AgentSession | undefined;
  const closeAll = async (): Promise<void> => {
    await agent?.close();
    await commands?.close?.();
    await copy.close();
  };
  try {
    const sdk = await import('@agentclientprotocol/sdk/unstable');
    commands = await options.commands?.(copy.folder);
    signal.throwIfAborted();
    agent = await startAgent(options, copy.folder);
    session = await connectSession(sdk, options, setup, { copy, agent, commands, closeAll });
    return session;
  } catch (error) {
    await closeAll();
    throw error;
  }
}

interface Parts {
  readonly copy: Copy;
  readonly agent: AgentProcess;
  readonly commands: CommandsInCopy | undefined;
  readonly closeAll: () => Promise<void>;
}

async function connectSession(
  sdk: Sdk,
  options: CheckedOptions,
  { task, signal, onProgress, decidedBefore, firstRequest }: Setup,
  { copy, agent, commands, closeAll }: Parts,
): Promise<AgentSession> {
  const { workspace, limits, name } = options;
  const queue = createQueue<FromAgent>();
  const pending = new Map<string, (decision: Decision) => void>();
  /** The commands that are asked about or started, with what answers the agent. */
  const asked = new Map<string, { readonly kept: number; readonly started: (terminal: Terminal) => void }>();
  let waiters: (() => void)[] = [];
  let requests = firstRequest - 1;
  let sessionId: string | undefined;
  let isOver = false;

  const needTurn = (): void => {
    for (const resolve of waiters) resolve();
    waiters = [];
  };
  const terminals: Terminals | undefined = commands && createTerminals(commands.tools, () => silence.refresh());
  const finish = (last: FromAgent): void => {
    if (isOver) return;
    isOver = true;
    clearTimeout(silence);
    queue.push(last);
    needTurn();
  };
  const failure = Promise.withResolvers<KernelError>();
  const fail = (error: unknown): void => {
    failure.resolve(toKernelError(error));
    finish({ type: 'error', error: toKernelError(error) });
  };
  const onSilence = (): void => {
    if (pending.size > 0 || (terminals?.running() ?? 0) > 0) silence.refresh();
    else
      fail(
        new KernelError('PROVIDER_TIMEOUT', `The agent said nothing for ${limits.silenceMs} ms (limits.silenceMs).`),
      );
  };
  const silence = setTimeout(onSilence, limits.silenceMs);

  const say = (said: Said): void => {
    const last = queue.last();
    // A reader that is slow gets long pieces, not many.
    if (said.type !== 'own-call' && last?.type === said.type) last.text += said.text;
    else queue.push(said);
  };
  const updates = createUpdates({
    textCharacters: limits.textCharacters,
    sessionId: () => sessionId,
    say,
    onProgress,
    outputOf: (id) => terminals?.find(id)?.output ?? '',
  });

  /** Has the run decide on a call; resolves to the decision. */
  const ask = (call: ToolCall): Promise<Decision> =>
    new Promise((resolve) => {
      const before = decidedBefore(call);
      if (before !== undefined) return resolve(before);
      pending.set(call.id, resolve);
      queue.push({ type: 'request', call });
      needTurn();
    });
  const toCall = (kind: string, tool: string, input: object): ToolCall => {
    requests += 1;
    return { type: 'tool-call', id: `${kind}-${requests}`, name: tool, arguments: JSON.stringify(input) };
  };
  const check = (params: { readonly sessionId: string }): void => {
    if (params.sessionId !== sessionId) throw sdk.RequestError.sessionNotFound(sliceHead(params.sessionId, 200));
    if (isOver) throw sdk.RequestError.invalidRequest(undefined, 'the turn of the session has ended');
  };
  /** Does some work for the agent, which gets the message of what fails. */
  const serve = async <T>(work: () => Promise<T> | T): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      if (error instanceof sdk.RequestError) throw error;
      throw new sdk.RequestError(-32_603, errorMessage(error));
    } finally {
      silence.refresh();
    }
  };
  const terminalOf = (params: { readonly sessionId: string; readonly terminalId: string }): Terminal => {
    check(params);
    const found = terminals?.find(params.terminalId);
    if (found === undefined)
      throw new sdk.RequestError(-32_602, `There is no terminal ${JSON.stringify(sliceHead(params.terminalId, 80))}.`);
    return found;
  };

  const app = sdk
    .client({ name: 'kernel' })
    .onRequest('fs/read_text_file', ({ params }) =>
      serve(async () => {
        check(params);
        return { content: await readCopiedText(copy.folder, params) };
      }),
    )
    .onRequest('fs/write_text_file', ({ params }) =>
      serve(async () => {
        check(params);
        await writeCopiedText(copy.folder, workspace, params);
        return {};
      }),
    )
    .onRequest('session/request_permission', ({ params }) =>
      serve(async () => {
        check(params);
        const { toolCall, options: offered } = params;
        const question = questionOf(updates.callWith(toolCall.toolCallId, { ...toolCall }), copy.folder);
        const decision: Decision =
          question.decision === 'allow'
            ? { isAllowed: true }
            : question.decision === 'refuse'
              ? { isAllowed: false, reason: question.reason }
              : await ask(toCall('permission', question.tool, question.input));
        const wanted = decision.isAllowed ? 'allow_once' : 'reject_once';
        const option = offered.find(({ kind }) => kind === wanted);
        // An answer for all times is not ours to give: without another one the request is taken back.
        const outcome =
          option === undefined || isOver
            ? ({ outcome: 'cancelled' } as const)
            : ({ outcome: 'selected', optionId: option.optionId } as const);
        return { outcome, ...(!decision.isAllowed && { _meta: { reason: decision.reason } }) };
      }),
    )
    .onRequest('elicitation/create', ({ params }) =>
      serve(() => {
        if ('sessionId' in params && typeof params.sessionId === 'string') check({ sessionId: params.sessionId });
        return { action: 'decline' as const };
      }),
    );
  if (terminals !== undefined)
    app
      .onRequest('terminal/create', ({ params }) =>
        serve(async () => {
          check(params);
          if (terminals.running() + asked.size >= MAX_TERMINALS)
            throw new sdk.RequestError(-32_603, `${MAX_TERMINALS} commands run already: release one first.`);
          const { command, args = [], env = [], cwd } = params;
          const below = (cwd ?? '') === '' ? '.' : placeIn(copy.folder, cwd ?? '');
          if (below === undefined) throw new sdk.RequestError(-32_602, 'cwd is not in the folder of the session.');
          const variables = env.map((each) => `${each.name}=${each.value}`);
          const words = [...(variables.length > 0 ? ['env', ...variables] : []), command, ...args];
          const call = toCall('terminal', 'run_command', { command: words, ...(below !== '.' && { cwd: below }) });
          const kept = isCount(params.outputByteLimit) ? params.outputByteLimit : Infinity;
          const started = new Promise<Terminal>((resolve) => asked.set(call.id, { kept, started: resolve }));
          const decision = await Promise.race([ask(call), started]);
          if ('isAllowed' in decision) {
            asked.delete(call.id);
            throw new sdk.RequestError(-32_603, decision.isAllowed ? 'The command was not run.' : decision.reason);
          }
          return { terminalId: decision.id };
        }),
      )
      .onRequest('terminal/output', ({ params }) =>
        serve(() => {
          const { output, isCut: truncated, end } = terminalOf(params);
          return { output, truncated, ...(end !== undefined && { exitStatus: end }) };
        }),
      )
      .onRequest('terminal/wait_for_exit', ({ params }) => serve(() => terminalOf(params).ended))
      .onRequest('terminal/kill', ({ params }) =>
        serve(() => {
          terminalOf(params).stop();
          return {};
        }),
      )
      .onRequest('terminal/release', ({ params }) =>
        serve(() => {
          terminals.release(terminalOf(params).id);
          return {};
        }),
      );

  const bytes = sdk.ndJsonStream(Writable.toWeb(agent.stdin), toWebStream(agent.stdout), {
    maxMessageBytes: limits.messageBytes,
  });
  const stream = guardStream(bytes, {
    onMessage: () => silence.refresh(),
    onUpdate: (params) => {
      if (!isOver) updates.read(params);
    },
  });
  const connection: Connection = app.connect(stream);
  let isEnding = false;
  void connection.closed.then(async () => {
    if (isEnding) return;
    const reason: unknown = connection.signal.reason;
    if (KernelError.is(reason)) return fail(reason);
    if (reason instanceof sdk.MessageTooLargeError)
      return fail(protocolError(`a message is longer than ${limits.messageBytes} bytes (limits.messageBytes)`));
    // Its output is closed: it has ended, or does nothing more of use.
    await agent.close();
    return fail(new KernelError('PROVIDER_PROTOCOL', await agent.ended));
  });
  void agent.ended.then((how) => {
    return isEnding ? undefined : fail(new KernelError('PROVIDER_PROTOCOL', how));
  });

  let ending: Promise<void> | undefined;
  const endWork = (): Promise<void> => {
    isEnding = true;
    isOver = true;
    clearTimeout(silence);
    connection.close();
    ending ??= Promise.all([agent.close(), terminals?.close()]).then(() => undefined);
    return ending;
  };
  const close = async (): Promise<void> => {
    isEnding = true;
    const wasOver = isOver;
    isOver = true;
    for (const settle of pending.values()) settle({ isAllowed: false, reason: 'The run has ended.' });
    pending.clear();
    needTurn();
    if (!wasOver && sessionId !== undefined) {
      await connection.agent.notify('session/cancel', { sessionId }).catch(() => undefined);
      await within(turn, CANCEL_GRACE_MS);
    }
    await endWork();
    await closeAll();
  };

  let turn: Promise<unknown> = Promise.resolve();
  try {
    const isReady = openSession(sdk, connection, {
      ...options,
      folder: copy.folder,
      hasTerminals: terminals !== undefined,
    });
    isReady.catch(() => undefined);
    sessionId = await startWithin(isReady, { limitMs: limits.startMs, agent, signal, failed: failure.promise });
  } catch (error) {
    isEnding = true;
    isOver = true;
    clearTimeout(silence);
    connection.close();
    throw toReportedError(error, name);
  }
  silence.refresh();
  turn = connection.agent
    .request('session/prompt', { sessionId, prompt: [{ type: 'text', text: task }] })
    .then(({ stopReason, usage }) => {
      const finishReason = finishReasonOf(stopReason);
      return finish({ type: 'end', finishReason, usage: toUsage(usage, updates.contextTokens()) });
    })
    .catch((error: unknown) => {
      // How a connection ended is said where that is known.
      if (!connection.signal.aborted) fail(toReportedError(error, name));
    });

  return {
    copy,
    take: () => queue.shift(),
    ready: () => queue.filled(),
    needsTurn: () =>
      isOver || pending.size > 0 ? Promise.resolve() : new Promise((resolve) => void waiters.push(resolve)),
    settle(callId, decision) {
      const settle = pending.get(callId);
      pending.delete(callId);
      silence.refresh();
      settle?.(decision);
    },
    async runCommand(call, context) {
      const request = asked.get(call.id);
      if (request === undefined || terminals === undefined || isOver)
        return errorResult('The agent that asked for this command has ended: it was not run.');
      asked.delete(call.id);
      pending.delete(call.id);
      const { terminal, result } = terminals.start(call, context, request.kept);
      request.started(terminal);
      const goesOn = new Promise<void>((resolve) => {
        if (isOver || pending.size > 0) resolve();
        else waiters.push(resolve);
      }).then((): ToolResult => ({ forLLM: 'The command goes on while the agent does something else.' }));
      return Promise.race([result, goesOn]);
    },
    endWork,
    close,
  };
}

/** Waits for the agent to be ready: rejects when it has ended, when its time is over, and on an abort. */
async function startWithin<T>(
  work: Promise<T>,
  {
    limitMs,
    agent,
    signal,
    failed,
  }: {
    readonly limitMs: number;
    readonly agent: AgentProcess;
    readonly signal: AbortSignal;
    readonly failed: Promise<KernelError>;
  },
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  let removeListener: (() => void) | undefined;
  const stopped = new Promise<never>((_resolve, reject) => {
    const late = `The agent was not ready within ${limitMs} ms (limits.startMs).`;
    timer = setTimeout(() => reject(new KernelError('PROVIDER_TIMEOUT', late)), limitMs);
    const onAborted = (): void => reject(signal.reason);
    signal.addEventListener('abort', onAborted);
    removeListener = () => signal.removeEventListener('abort', onAborted);
    if (signal.aborted) onAborted();
    void agent.ended.then((how) => reject(new KernelError('TOOL_UNAVAILABLE', how)));
    void failed.then(reject);
  });
  try {
    return await Promise.race([work, stopped]);
  } finally {
    clearTimeout(timer);
    removeListener?.();
  }
}

async function within(work: Promise<unknown>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  await Promise.race([
    work,
    new Promise<void>((resolve) => {
      timer = setTimeout(resolve, ms);
    }),
  ]);
  clearTimeout(timer);
}

function toWebStream(stream: Readable): ReadableStream<Uint8Array> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the types of Node and of the web name the same stream
  return Readable.toWeb(stream) as ReadableStream<Uint8Array>;
}

function toKernelError(error: unknown): KernelError {
  return KernelError.is(error) ? error : new KernelError('TOOL_FAILED', errorMessage(error), { cause: error });
}
