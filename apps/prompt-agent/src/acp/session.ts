import { PassThrough } from 'node:stream';
import type { SessionEntry } from '@kernel/agent';
import { createRedactor } from '@kernel/internal';
import type { RunEnd } from '@kernel/protocol';
import type { Workspace } from '@kernel/toolbox/workspace';
import {
  type AgentContext,
  type ClientCapabilities,
  type ContentBlock,
  type PromptResponse,
  RequestError,
  type SessionUpdate,
} from '@agentclientprotocol/sdk/unstable';
import type { McpPrompt } from '@kernel/mcp';
import type { OpenAgent } from '../agent/open-agent.ts';
import { isSlash, unescapeSlash } from '../chat/slash-commands.ts';
import type { CommandCall } from '../command-call.ts';
import type { Invocation } from '../invocation.ts';
import type { EditorServers } from '../user-tools/editor-servers.ts';
import { openWorkspace } from '../workspace/open-workspace.ts';
import { createAnswers } from './editor/answers.ts';
import { createEditor } from './editor/create-editor.ts';
import { changesOf, NO_CHANGES } from './view/file-changes.ts';
import { openStoredConversation } from './stored-conversation.ts';
import { listModelsWhenIdle } from './list-models.ts';
import { createAgentSwitcher } from './agent-switcher.ts';
import { readPrompt, titleOf } from './prompt-content.ts';
import { replayHistory } from './view/replay-history.ts';
import { openSessionModel } from './session-model.ts';
import {
  changeSetting,
  commandsOf,
  modesOf,
  optionsOf,
  type SessionSettings,
  stricterMode,
} from './session-options.ts';
import { createSessionUsage } from './session-usage.ts';
import { createSessionOutput } from './session-output.ts';
import { showRunInEditor } from './view/show-run.ts';
import { toResponse } from './prompt-response.ts';
import type { SendUpdate } from './view/show-turn.ts';
import { textBlock } from './view/text-content.ts';
import type { ToolCalls } from './view/tool-calls.ts';
import { runSlashCommand } from './slash-command.ts';
import { createTurns } from './turns.ts';
import { createModeGuard } from './mode-guard.ts';

export interface SessionStart {
  /** The id of a new session, or of one that is stored. */
  readonly id: string;
  /** Its folder, absolute. */
  readonly cwd: string;
  readonly servers: EditorServers;
  /** Whether the session is stored already, and goes on. */
  readonly isStored: boolean;
  /** What a new session begins with: the entries of the one that it is a fork of. */
  readonly entries?: readonly SessionEntry[] | undefined;
  /** What it was set to before, or the one that it is a fork of. */
  readonly settings?: Partial<SessionSettings> | undefined;
}

/**
 * Opens a session of an editor. Its model is chosen at once; its tools, and the MCP servers that the editor gives, are opened with the first prompt, since they may have
 * questions. Rejects as `openModel` does, with `auth_required` where there is no model to use, and with `SESSION_LOCKED` for one that another process has open.
 */
export async function openAcpSession(
  given: CommandCall,
  client: AgentContext,
  capabilities: ClientCapabilities,
  { id, cwd, servers, ...start }: SessionStart,
) {
  const closed = new AbortController();
  const signal = AbortSignal.any([given.signal, closed.signal]);
  const { mode = 'act', ...rest } = given.flags;
  const before = start.settings ?? {};
  let settings: SessionSettings = {
    // The entry of the editor may be stricter than what was chosen before.
    mode: stricterMode(mode, before.mode ?? mode),
    model: '',
    effort: before.effort ?? 'default',
    models: [],
  };
  let redactor = createRedactor([]);
  let calls: ToolCalls | undefined;
  let workspace: Workspace | undefined;
  let models: ReturnType<typeof listModelsWhenIdle> | undefined;
  const send: SendUpdate = (update) =>
    client.notify('session/update', { sessionId: id, update: redactor.data(update) });
  /** Sends an update that nothing waits for. A connection that has ended ends the session elsewhere. */
  const notify = (update: SessionUpdate): void => void send(update).catch(() => undefined);
  const notifyOptions = (): void =>
    notify({ sessionUpdate: 'config_option_update', configOptions: optionsOf(settings) });
  const turns = createTurns({ signal, onBusy: () => models?.busy(), onIdle: () => models?.idle() });
  const { output, capture } = createSessionOutput(given.output, (title) => {
    if (capabilities.session?.notices != null) notify({ sessionUpdate: 'notice', severity: 'warning', title });
    // An editor without notices shows the thoughts of a turn, and would show nothing of what it waits for.
    else if (turns.isBusy()) notify({ sessionUpdate: 'agent_thought_chunk', content: textBlock(`${title}\n`) });
  });
  const changes = (call: Parameters<typeof changesOf>[1], abort: AbortSignal) =>
    workspace === undefined ? Promise.resolve(NO_CHANGES) : changesOf({ workspace, folder: cwd }, call, abort);

  const guard = createModeGuard(() => settings.mode);
  const connection = { client, capabilities, sessionId: id };
  const editor = createEditor({
    ...connection,
    notify,
    output,
    folder: cwd,
    calls: () => calls,
    changesOf: changes,
    refusal: guard.refusal,
  });
  const confirm: typeof editor.confirm = (...question) => editor.confirm(...question);
  const answers = createAnswers({ ...connection, model: () => settings.model, confirm });
  const host = { ...given.host, cwd, stdin: new PassThrough().end(), signal, editor, answers };
  const flags = { ...rest, bundle: 'code_agent' as const, stream: true };
  const call = { ...given, flags, host, output, signal };
  const model = await openSessionModel(call, (secrets) => (redactor = createRedactor(secrets)));
  settings = { ...settings, model: before.model ?? model.current().choice.model };
  const invocationFor = (wanted: SessionSettings, abort?: AbortSignal): Invocation => {
    const both = abort === undefined ? signal : AbortSignal.any([signal, abort]);
    const used = { host: { ...host, signal: both }, flags: { ...flags, mode: wanted.mode }, signal: both };
    return { ...model.current(), ...used, choice: { ...model.current().choice, model: wanted.model } };
  };
  // As a session of the terminal, which has no mode unless one is given.
  const keptWith = (): Invocation =>
    settings.mode === 'act' ? { ...invocationFor(settings), flags } : invocationFor(settings);
  const kept = await openStoredConversation(keptWith, id, start);
  models = listModelsWhenIdle(model.current, signal, (list) => {
    settings = { ...settings, models: list };
    notifyOptions();
  });

  const notifyCommands = (prompts: readonly McpPrompt[] = []): void =>
    notify({ sessionUpdate: 'available_commands_update', availableCommands: commandsOf(prompts) });
  const notifyPrompts = async (agent: OpenAgent): Promise<void> => {
    const prompts = await agent.prompts(signal);
    if (prompts.length > 0) notifyCommands(prompts);
  };

  /** How the last run of the turn ended; undefined if there was none. */
  let end: RunEnd | undefined;
  const usage = createSessionUsage({
    before: start.isStored ? await kept.usage() : undefined,
    model: model.current().loaded.config.model,
    prices: flags.price,
    send,
  });
  const show = showRunInEditor({
    send,
    notify,
    folder: cwd,
    changesOf: changes,
    onCalls: (shown) => (calls = shown),
    onReply: usage.onReply,
    onEnd: (ended) => (end = ended),
  });

  const agents = createAgentSwitcher({
    invocationFor,
    workspace: async () => (workspace ??= await openWorkspace(cwd, host, true)),
    servers,
    wrap: (tools) => guard.wrap(tools),
    showPlan: (entries) => notify({ sessionUpdate: 'plan', entries }),
    sessions: kept,
    show,
    onOpened: (agent) => void notifyPrompts(agent),
  });

  const change = (option: string, value: string | boolean): void => {
    const { mode: last } = settings;
    settings = changeSetting(settings, option, value);
    if (settings.mode !== last) {
      notify({ sessionUpdate: 'current_mode_update', currentModeId: settings.mode });
      kept.saveMode(settings.mode);
    }
    notifyOptions();
  };

  let hasTitle = start.isStored || start.entries !== undefined;
  const runTurn = async (blocks: readonly ContentBlock[], abort: AbortSignal): Promise<PromptResponse> => {
    const { text, parts, isTyped } = readPrompt(blocks, cwd);
    if (text.trim() === '' && parts.length === 0) throw RequestError.invalidParams(undefined, 'the prompt is empty');
    const renewed = await model.renew();
    if (renewed !== undefined) {
      agents.expire();
      if (renewed.model !== undefined) change('model', renewed.model);
    }
    const { agent, conversation, settings: used } = await agents.open(settings, abort);
    end = undefined;
    if (isTyped && isSlash(text)) {
      const context = { conversation, agent, invocation: { ...invocationFor(used), output }, signal: abort };
      const said = await runSlashCommand(text.trim(), context, capture);
      if (conversation.model() !== used.model) change('model', conversation.model());
      if (said !== '') await send({ sessionUpdate: 'agent_message_chunk', content: textBlock(said) });
    } else {
      await conversation.send(unescapeSlash(text), abort, parts);
      if (!hasTitle)
        notify({ sessionUpdate: 'session_info_update', title: titleOf(text), updatedAt: new Date().toISOString() });
      hasTitle = true;
    }
    const ended: RunEnd | undefined = end;
    if (ended === undefined) return { stopReason: abort.aborted ? 'cancelled' : 'end_turn' };
    await usage.tell(conversation.totals().usage);
    return toResponse(ended, send, model.expire);
  };

  return {
    id,
    cwd,
    servers,
    checkIdle: turns.checkIdle,
    modes: () => modesOf(settings),
    options: () => optionsOf(settings),
    settings: () => settings,
    /** Tells what the editor can offer for the session: its commands and what it has used at once, and the models once the vendor has listed them. */
    announce(): void {
      notifyCommands();
      void usage.tell().catch(() => undefined);
      models?.idle();
    },
    /** Sends the conversation so far. */
    replay: async (): Promise<void> => replayHistory(await kept.entries(), send, cwd),
    entries: () => kept.entries(),
    /** Sets an option, and returns all of them. A turn that runs is held to another mode from its next call on. Throws for an unknown option, and for an invalid value. */
    set(option: string, value: string | boolean) {
      change(option, value);
      return optionsOf(settings);
    },
    /** Answers a prompt. Rejects where another turn of the session is under way. */
    prompt: (blocks: readonly ContentBlock[], request: AbortSignal): Promise<PromptResponse> =>
      turns.run(request, (abort) => runTurn(blocks, abort)),
    cancel: turns.cancel,
    /** Says that the user signed in or out: the next turn uses the key of that moment. */
    expireModel: model.expire,
    /** Cancels what runs, and closes all that the session has open. What was changed can still be taken back, with `prompt-agent undo`. */
    async close(): Promise<void> {
      closed.abort(new Error('closed'));
      models?.busy();
      await agents.close();
      await kept.close();
      await workspace?.close();
    },
  };
}

export type AcpSession = Awaited<ReturnType<typeof openAcpSession>>;
