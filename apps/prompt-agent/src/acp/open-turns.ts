import type { Workspace } from '@kernel/toolbox/workspace';
import { type OpenAgent, openAgent } from '../agent/open-agent.ts';
import { type ChatSessions, type Conversation, openConversation, type ShowRun } from '../chat/conversation.ts';
import type { Invocation } from '../invocation.ts';
import type { ClientServers } from '../user-tools/client-servers.ts';
import { planTool } from './plan-tool.ts';
import type { SessionSettings } from './session-options.ts';

/** What a turn works with. */
export interface OpenTurn {
  readonly settings: SessionSettings;
  readonly agent: OpenAgent;
  readonly conversation: Conversation;
}

interface TurnOptions {
  readonly invocationFor: (settings: SessionSettings) => Invocation;
  readonly workspace: () => Promise<Workspace>;
  readonly servers: ClientServers;
  readonly showPlan: Parameters<typeof planTool>[0];
  readonly sessions: ChatSessions;
  readonly show: ShowRun;
  /** Hears of each agent that was opened, with the servers that it is connected to. */
  readonly onAgent: (agent: OpenAgent) => void;
}

/** Opens what a turn works with, as the session is set then: another mode has other tools, and the conversation goes on. After a failure it is tried again. */
export function createTurns({ invocationFor, workspace, servers, showPlan, sessions, show, onAgent }: TurnOptions) {
  let opening: Promise<OpenTurn> | undefined;

  const openFor = async (settings: SessionSettings, before: OpenTurn | undefined): Promise<OpenTurn> => {
    const invocation = invocationFor(settings);
    const isSame = before?.settings.mode === settings.mode;
    const agent = isSame
      ? before.agent
      : await openAgent(invocation, {
          workspace: await workspace(),
          servers: Object.keys(servers).length === 0 ? undefined : servers,
          tools: [planTool(showPlan)],
        });
    const used = withEffort(agent, settings);
    const conversation = before?.conversation ?? (await openConversation(invocation, used, sessions, show));
    conversation.useModel(settings.model);
    conversation.useAgent(used);
    if (!isSame) {
      await before?.agent.close();
      onAgent(agent);
    }
    return { settings, agent, conversation };
  };

  return {
    async open(settings: SessionSettings): Promise<OpenTurn> {
      const before = await opening?.catch(() => undefined);
      opening = openFor(settings, before);
      return opening;
    },
    async close(): Promise<void> {
      const open = await opening?.catch(() => undefined);
      await open?.conversation.close();
      await open?.agent.close();
    },
  };
}

function withEffort(agent: OpenAgent, { effort }: SessionSettings): OpenAgent {
  if (effort === 'default') return agent;
  return { ...agent, options: { ...agent.options, options: { ...agent.options.options, reasoningEffort: effort } } };
}
