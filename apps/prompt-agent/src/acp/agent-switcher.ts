import { linkAbort, untilAborted } from '@kernel/internal';
import type { Toolset } from '@kernel/protocol';
import type { Workspace } from '@kernel/toolbox/workspace';
import { type OpenAgent, openAgent } from '../agent/open-agent.ts';
import { type ChatSessions, type Conversation, openConversation, type ShowRun } from '../chat/conversation.ts';
import type { Invocation } from '../invocation.ts';
import type { EditorServers } from '../user-tools/editor-servers.ts';
import { planTool } from './plan-tool.ts';
import type { SessionSettings } from './session-options.ts';

/** What the next turn uses: the agent for the settings, and the conversation, which stays the same. */
export interface TurnAgent {
  readonly settings: SessionSettings;
  readonly agent: OpenAgent;
  readonly conversation: Conversation;
}

interface AgentSwitcherOptions {
  readonly invocationFor: (settings: SessionSettings, signal: AbortSignal) => Invocation;
  readonly workspace: () => Promise<Workspace>;
  readonly servers: EditorServers;
  readonly wrap: (tools: Toolset) => Toolset;
  readonly showPlan: Parameters<typeof planTool>[0];
  readonly sessions: ChatSessions;
  readonly show: ShowRun;
  /** Gets each agent that was opened. */
  readonly onOpened: (agent: OpenAgent) => void;
}

/** Opens the agent of a session as it is set: another mode has other tools. An opening that fails or is cancelled leaves what was there before, and is tried again. */
export function createAgentSwitcher(options: AgentSwitcherOptions) {
  const { invocationFor, servers } = options;
  let current: TurnAgent | undefined;
  let isExpired = false;

  /** Opens an agent; one that comes after the opening was given up is closed. */
  const openFor = async (settings: SessionSettings, abort: AbortSignal): Promise<OpenAgent> => {
    // Not the signal of the turn itself: what is opened outlives it.
    const givenUp = new AbortController();
    const unlink = linkAbort(abort, givenUp);
    const opening = options.workspace().then((workspace) =>
      openAgent(invocationFor(settings, givenUp.signal), {
        workspace,
        servers: Object.keys(servers).length === 0 ? undefined : servers,
        tools: [planTool(options.showPlan)],
        wrap: options.wrap,
      }),
    );
    try {
      return await untilAborted(opening, abort);
    } catch (error) {
      void opening.then((late) => late.close()).catch(() => undefined);
      throw error;
    } finally {
      unlink();
    }
  };

  return {
    /** Has the agent opened again before the next turn: its model is another one. */
    expire: (): void => void (isExpired = true),
    /** Returns the agent for the next turn. Rejects with the reason of an abort. */
    async open(settings: SessionSettings, abort: AbortSignal): Promise<TurnAgent> {
      const before = current;
      const isSame = !isExpired && before?.settings.mode === settings.mode;
      const agent = isSame ? before.agent : await openFor(settings, abort);
      const used = withEffort(agent, settings);
      const conversation =
        before?.conversation ??
        (await openConversation(invocationFor(settings, abort), used, options.sessions, options.show));
      conversation.useModel(settings.model);
      conversation.useAgent(used);
      current = { settings, agent, conversation };
      isExpired = false;
      if (!isSame) {
        await before?.agent.close();
        options.onOpened(agent);
      }
      return current;
    },
    async close(): Promise<void> {
      await current?.conversation.close();
      await current?.agent.close();
    },
  };
}

function withEffort(agent: OpenAgent, { effort }: SessionSettings): OpenAgent {
  if (effort === 'default') return agent;
  return { ...agent, options: { ...agent.options, options: { ...agent.options.options, reasoningEffort: effort } } };
}
