import { PassThrough } from 'node:stream';
import { runSession, run, type SessionEntry } from '@kernel/agent';
import { createRedactor, untilAborted } from '@kernel/internal';
import { type RunEnd, type Toolset, toErrorResult, KernelError, wrapToolset } from '@kernel/protocol';
import { costOf } from '@kernel/providers';
import type { Workspace } from '@kernel/toolbox/workspace';
import {
  type AgentContext,
  type ClientCapabilities,
  type ContentBlock,
  type PromptResponse,
  RequestError,
  type SessionUpdate,
} from '@agentclientprotocol/sdk/unstable';
import { type OpenAgent, openAgent } from '../agent/open-agent.ts';
import {
  type ChatSessions,
  type Conversation,
  inMemory,
  openConversation,
  type ShowRun,
} from '../chat/conversation.ts';
import { EDITOR_COMMANDS } from '../chat/slash-commands.ts';
import { oneMessage } from '../chat/terminal-chat.ts';
import type { CommandCall } from '../command-call.ts';
import type { Invocation } from '../invocation.ts';
import { openModel } from '../model/open-model.ts';
import { exitCodeOfRun } from '../run-ends.ts';
import { redactEvents } from '../output/redact-events.ts';
import { keepSession, type KeptSession } from '../sessions/keep-session.ts';
import type { ClientServers } from '../user-tools/client-servers.ts';
import { openWorkspace } from '../workspace/open-workspace.ts';
import { createAnswers } from './answers.ts';
import { createEditor } from './create-editor.ts';
import { changesOf } from './file-changes.ts';
import { listModels } from './list-models.ts';
import { planTool } from './plan-tool.ts';
import { readPrompt } from './prompt-content.ts';
import { replayHistory } from './replay-history.ts';
import { isEffort, isMode, modesOf, optionsOf, type SessionSettings } from './session-options.ts';
import { createSessionOutput } from './session-output.ts';
import { createTurnView, type SendUpdate, textBlock, toResponse } from './show-turn.ts';
import { createToolCalls, type ToolCalls } from './tool-calls.ts';

export interface SessionStart {
  /** The id of a new session, or of one that is kept. */
  readonly id: string;
  /** Its folder, absolute. */
  readonly cwd: string;
  readonly servers: ClientServers;
  /** Whether the session is kept already, and goes on. */
  readonly isKept: boolean;
  /** What a new session begins with: the entries of the one that it is a fork of. */
  readonly entries?: readonly SessionEntry[] | undefined;
}

/** The tools whose changes are shown as diffs. */
const WRITING = new Set(['edit_file', 'write_file', 'apply_patch']);

/**
 * Opens a session of an editor. Its model is chosen at once; its tools, and the MCP servers that the editor gives, are opened with the first prompt, since they may have
 * questions. Rejects as `openModel` does, with `auth_required` where there is no model to use, and with `SESSION_LOCKED` for one that another process has open.
 */
export async function openSession(
  given: CommandCall,
  client: AgentContext,
  capabilities: ClientCapabilities,
  { id, cwd, servers, isKept, entries }: SessionStart,
) {
  const closed = new AbortController();
  const signal = AbortSignal.any([given.signal, closed.signal]);
  const output = createSessionOutput(given.output);
  let redactor = createRedactor([]);
  let calls: ToolCalls | undefined;
  let workspace: Workspace | undefined;
  const redact = <Value>(value: Value): Value => redactor.data(value);
  const send: SendUpdate = (update) => client.notify('session/update', { sessionId: id, update: redact(update) });
  /** Sends an update that nothing waits for. A connection that has ended ends the session elsewhere. */
  const tell = (update: SessionUpdate): void => void send(update).catch(() => undefined);

  const editor = createEditor({
    client,
    capabilities,
    sessionId: id,
    folder: cwd,
    calls: () => calls,
    changesOf: (call, abort) =>
      workspace === undefined || !WRITING.has(call.name)
        ? Promise.resolve([])
        : changesOf(workspace, { type: 'tool-call', ...call }, abort),
    redact,
  });
  const host = {
    ...given.host,
    cwd,
    stdin: new PassThrough().end(),
    signal,
    editor,
    answers: createAnswers({
      client,
      capabilities,
      sessionId: id,
      model: () => settings.model,
      confirm: (...question) => editor.confirm(...question),
    }),
  };
  const { mode: firstMode = 'act', ...rest } = given.flags;
  let settings: SessionSettings = { mode: firstMode, model: '', effort: 'default', models: [] };
  const flags = { ...rest, bundle: 'code_agent' as const, stream: true };
  const opened = await openModel({ ...given, flags, host, output: output.output, signal });
  if (opened.choice.provider.name === 'offline' && flags.provider !== 'offline')
    throw RequestError.authRequired(undefined, 'no model was found');
  redactor = createRedactor([opened.secret]);
  const prices = flags.price ?? opened.loaded.config.model.prices;

  settings = { ...settings, model: opened.choice.model };
  const invocationFor = ({ mode, model }: SessionSettings): Invocation => ({
    ...opened,
    flags: { ...flags, mode },
    choice: { ...opened.choice, model },
  });

  const kept = isKept
    ? await keepSession({ ...opened, flags: { ...flags, session: id } }, true)
    : entries === undefined
      ? undefined
      : await beginKept(entries);
  async function beginKept(first: readonly SessionEntry[]): Promise<KeptSession | undefined> {
    const begun = await keepSession({ ...opened, flags }, true, false, id);
    await begun?.session.append(first);
    return begun;
  }
  let current = kept;
  const sessions: ChatSessions = {
    async open() {
      current ??= await keepSession({ ...opened, flags }, true, false, id);
      return current ?? inMemory(entries);
    },
    /** The session goes on under its id; what it was before is kept as another one. */
    async fork(next) {
      if (current === undefined) return inMemory(next);
      const copy = await keepSession({ ...opened, flags }, true);
      await copy?.session.append(await current.session.entries());
      await copy?.close();
      await current.session.replace(next);
      return current;
    },
  };

  let end: RunEnd | undefined;
  const show: ShowRun = async ({ options }, { messages, session, record }, { secret }) => {
    const tools = options.tools;
    const toolCalls = createToolCalls({
      send: tell,
      folder: workspace?.folder ?? cwd,
      toolOf: (name) => tools?.list().find((tool) => tool.name === name),
    });
    calls = toolCalls;
    const view = createTurnView(send, toolCalls);
    const watched = { ...options, tools: tools && watch(tools, toolCalls), messages };
    const events = session === undefined ? run(watched) : runSession({ ...watched, session });
    try {
      for await (const event of redactEvents(events, secret)) {
        record?.(event);
        if (event.type === 'run-end') end = event;
        else await view(event);
      }
    } finally {
      toolCalls.drop('The turn has ended.');
      calls = undefined;
    }
    if (end === undefined) throw new Error('The run ended without a run-end.');
    return exitCodeOfRun(end, host.signal);
  };

  /** Shows the changes of calls as diffs, and holds a turn to the mode that was chosen while it runs. */
  const watch = (tools: Toolset, toolCalls: ToolCalls): Toolset =>
    wrapToolset(tools, {
      async call(call, context) {
        const effect = tools.list().find(({ name }) => name === call.name)?.effect ?? 'external';
        if (settings.mode !== 'act' && effect !== 'read' && call.name !== 'run_command')
          return notInMode(settings.mode);
        if (settings.mode === 'read-only' && call.name === 'run_command') return notInMode(settings.mode);
        if (workspace !== undefined && WRITING.has(call.name))
          toolCalls.change(call.id, await changesOf(workspace, call, context.signal).catch(() => []));
        return tools.call(call, context);
      },
    });

  interface Ready {
    readonly settings: SessionSettings;
    readonly agent: OpenAgent;
    readonly conversation: Conversation;
  }
  let ready: Promise<Ready> | undefined;

  const openFor = async (wanted: SessionSettings, before: Ready | undefined): Promise<Ready> => {
    const invocation = invocationFor(wanted);
    workspace ??= await openWorkspace(cwd, host, true);
    if (before?.settings.mode === wanted.mode) {
      before.conversation.useModel(wanted.model);
      before.conversation.useAgent(withEffort(before.agent, wanted));
      return { ...before, settings: wanted };
    }
    const agent = await openAgent(invocation, {
      workspace,
      servers: Object.keys(servers).length === 0 ? undefined : servers,
      tools: [planTool((plan) => tell({ sessionUpdate: 'plan', entries: plan }))],
    });
    const conversation =
      before?.conversation ?? (await openConversation(invocation, withEffort(agent, wanted), sessions, show));
    conversation.useModel(wanted.model);
    conversation.useAgent(withEffort(agent, wanted));
    await before?.agent.close();
    return { settings: wanted, agent, conversation };
  };

  /** Opens what a turn needs, as the session is set now. After a failure it is tried again. */
  const getReady = async (): Promise<Ready> => {
    const before = await ready?.catch(() => undefined);
    if (before?.settings === settings) return before;
    ready = openFor(settings, before);
    return ready;
  };

  const announceCommands = async (): Promise<void> => {
    await send({
      sessionUpdate: 'available_commands_update',
      availableCommands: EDITOR_COMMANDS.map(({ name, usage, summary }) => ({
        name,
        description: summary,
        ...(usage !== '' && { input: { hint: usage } }),
      })),
    });
  };

  const tellModels = async (): Promise<void> => {
    const models = await listModels(opened, signal);
    if (models.length === 0 || signal.aborted) return;
    settings = { ...settings, models };
    tell({ sessionUpdate: 'config_option_update', configOptions: optionsOf(settings) });
  };

  let turn: AbortController | undefined;
  let hasTitle = isKept || entries !== undefined;

  const runTurn = async (blocks: readonly ContentBlock[], abort: AbortSignal): Promise<PromptResponse> => {
    const { text, parts } = readPrompt(blocks, cwd);
    if (text.trim() === '' && parts.length === 0) throw RequestError.invalidParams(undefined, 'the prompt is empty');
    const { agent, conversation, settings: used } = await untilAborted(getReady(), abort);
    end = undefined;
    if (text.startsWith('/') && !text.startsWith('//') && parts.length === 0) {
      const lines = output.capture();
      await oneMessage(text.trim(), {
        conversation,
        agent,
        invocation: { ...invocationFor(used), output: output.output },
        signal: abort,
      });
      const said = lines();
      if (said.length > 0) await send({ sessionUpdate: 'agent_message_chunk', content: textBlock(said.join('\n')) });
    } else await conversation.send(text.replace(/^\/\//, '/'), abort, parts);
    if (!hasTitle) {
      hasTitle = true;
      tell({ sessionUpdate: 'session_info_update', title: titleOf(text), updatedAt: new Date().toISOString() });
    }
    await tellUsage(conversation);
    const ended: RunEnd | undefined = end;
    if (ended === undefined) return { stopReason: abort.aborted ? 'cancelled' : 'end_turn' };
    return toResponse(ended, send);
  };

  /** What the context of the model holds, where its size is known, and what the session has cost. */
  const tellUsage = async (conversation: Conversation): Promise<void> => {
    const size = opened.loaded.config.model.contextTokens;
    const used = lastInput();
    if (size === undefined || used === undefined) return;
    const { usage } = conversation.totals();
    await send({
      sessionUpdate: 'usage_update',
      used,
      size,
      ...(prices !== undefined && { cost: { amount: costOf(usage, prices), currency: 'USD' } }),
    });
  };
  const lastInput = (): number | undefined => (end === undefined ? undefined : end.usage.inputTokens);

  return {
    id,
    cwd,
    modes: () => modesOf(settings),
    options: () => optionsOf(settings),
    /** Tells what the editor can offer for the session: its commands at once, and the models when the vendor has listed them. */
    announce(): void {
      void announceCommands().catch(() => undefined);
      void tellModels();
    },
    /** Sends the conversation so far. */
    replay: async (): Promise<void> => {
      if (kept !== undefined) await replayHistory(await kept.session.entries(), send, cwd);
    },
    entries: async (): Promise<readonly SessionEntry[]> => {
      const { session } = await sessions.open();
      return session.entries();
    },
    isBusy: (): boolean => turn !== undefined,
    /** Sets the mode. A turn that runs is held to it from its next call on. Throws for an unknown one. */
    setMode(mode: string): void {
      if (!isMode(mode)) throw RequestError.invalidParams(undefined, `there is no mode ${JSON.stringify(mode)}`);
      settings = { ...settings, mode };
      tell({ sessionUpdate: 'config_option_update', configOptions: optionsOf(settings) });
    },
    /** Sets an option. Throws for one that there is not, and for a value that it cannot have. */
    setOption(option: string, value: string | boolean): void {
      const isKnown = typeof value === 'string' && value !== '';
      if (option === 'mode' && isKnown && isMode(value)) {
        settings = { ...settings, mode: value };
        tell({ sessionUpdate: 'current_mode_update', currentModeId: value });
      } else if (option === 'model' && isKnown && value.length <= 200) settings = { ...settings, model: value };
      else if (option === 'effort' && isKnown && isEffort(value)) settings = { ...settings, effort: value };
      else
        throw RequestError.invalidParams(
          undefined,
          `the option ${JSON.stringify(option)} cannot be ${JSON.stringify(value)}`,
        );
    },
    /** Answers a prompt. Rejects where another turn of the session is under way. */
    async prompt(blocks: readonly ContentBlock[], request: AbortSignal): Promise<PromptResponse> {
      if (turn !== undefined)
        throw RequestError.invalidRequest(
          undefined,
          'a turn of this session is under way; wait for its end, or cancel it',
        );
      const own = new AbortController();
      turn = own;
      const abort = AbortSignal.any([signal, request, own.signal]);
      try {
        return await runTurn(blocks, abort);
      } catch (error) {
        if (abort.aborted) return { stopReason: 'cancelled' };
        throw error;
      } finally {
        turn = undefined;
      }
    },
    cancel(): void {
      turn?.abort(new Error('stopped'));
    },
    /** Cancels what runs, and closes all that the session has open. */
    async close(): Promise<void> {
      turn?.abort(new Error('stopped'));
      closed.abort(new Error('closed'));
      const open = await ready?.catch(() => undefined);
      await open?.conversation.close();
      await (current ?? kept)?.close();
      await open?.agent.close();
      await workspace?.close();
    },
  };
}

export type AcpSession = Awaited<ReturnType<typeof openSession>>;

function withEffort(agent: OpenAgent, { effort }: SessionSettings): OpenAgent {
  if (effort === 'default') return agent;
  return { ...agent, options: { ...agent.options, options: { ...agent.options.options, reasoningEffort: effort } } };
}

function notInMode(mode: string) {
  const error = new KernelError('TOOL_DENIED', `The user has set the mode ${mode}, in which nothing is changed.`);
  return toErrorResult(error, 'denied');
}

const MAX_TITLE = 80;

function titleOf(text: string): string {
  const [first = ''] = text.trim().split('\n', 1);
  return first.length <= MAX_TITLE ? first : `${first.slice(0, MAX_TITLE - 1)}…`;
}
