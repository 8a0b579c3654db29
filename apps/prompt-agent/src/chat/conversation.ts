import {
  collect,
  createMemorySession,
  createSteering,
  loadHistory,
  run,
  type Session,
  type SessionEntry,
} from '@kernel/agent';
import { addUsage, type MediaPart, type Message, type Steering, type TextPart, type Usage } from '@kernel/protocol';
import type { OpenAgent } from '../agent/open-agent.ts';
import { showRun } from '../agent/show-run.ts';
import type { Invocation } from '../invocation.ts';
import { keepSession, type KeptSession } from '../sessions/keep-session.ts';
import { undoChanges } from '../workspace/undo.ts';
import { resolveMentions } from './complete.ts';

const SUMMARIZE =
  'Summarize this conversation for yourself, so that you can go on without it: what the user wants, what was decided and done, names of files and facts that matter, and what is left. Only the summary.';

/** Shows a run, and resolves to the exit code that it means. */
export type ShowRun = typeof showRun;

export async function openConversation(
  invocation: Invocation,
  opened: OpenAgent,
  sessions: ChatSessions,
  show: ShowRun = showRun,
) {
  const { workspace } = opened;
  let agent = opened;
  let kept = await sessions.open();
  let model = agent.options.model;
  let steering: Steering | undefined;
  let late: string[] = [];
  let usage: Usage = { inputTokens: 0, outputTokens: 0 };
  let turns = 0;
  let lastChange = '';
  /** What the user did that the model does not know yet. */
  let news = '';

  const newestChange = (): string => workspace.undoable().at(-1)?.id ?? '';
  const replace = async (entries: readonly SessionEntry[]): Promise<void> => {
    const next = await sessions.fork(entries);
    if (next !== kept) await kept.close();
    kept = next;
  };

  async function turn(messages: readonly Message[], signal: AbortSignal): Promise<number> {
    const own = createSteering();
    steering = own;
    lastChange = newestChange();
    const options = { ...agent.options, model, signal, steering: own };
    try {
      kept.start(messages, await agent.commands());
      return await show(
        { ...agent, options },
        {
          messages,
          session: kept.session,
          record(event) {
            kept.record(event);
            if (event.type !== 'run-end') return;
            usage = addUsage(usage, event.usage);
            turns += event.turns;
          },
        },
        { ...invocation, choice: { ...invocation.choice, model }, signal },
      );
    } finally {
      steering = undefined;
      late.push(...own.take('steer').map((message) => (typeof message.content === 'string' ? message.content : '')));
    }
  }

  return {
    /** Sends a message: what was typed, after parts that were attached to it. */
    async send(text: string, signal: AbortSignal, parts: readonly (TextPart | MediaPart)[] = []): Promise<number> {
      const resources = [...parts, ...(await attached(text, agent, signal))];
      const said = news + (await resolveMentions(text, workspace));
      news = '';
      const content = resources.length === 0 ? said : [...resources, { type: 'text' as const, text: said }];
      return turn([{ role: 'user', content }], signal);
    },
    /** Uses another agent on the same workspace from the next turn on. */
    useAgent(next: OpenAgent): void {
      agent = next;
    },
    /** Sends messages that a server has prepared. */
    sendMessages: (messages: readonly Message[], signal: AbortSignal): Promise<number> => turn(messages, signal),
    /** Sends the last message again, as if it had not been answered; `undefined` without one. */
    async retry(signal: AbortSignal): Promise<number | undefined> {
      const entries = await kept.session.entries();
      const index = entries.findLastIndex((entry) => entry.type === 'message' && entry.message.role === 'user');
      const entry = entries[index];
      if (entry?.type !== 'message') return undefined;
      await replace(entries.slice(0, index));
      return turn([entry.message], signal);
    },
    steer(text: string): boolean {
      if (steering === undefined) return false;
      steering.steer(text);
      return true;
    },
    /** The messages that wait for the run, and those that came too late for it. */
    waiting: (): readonly Message[] => steering?.pending.steer ?? [],
    /** Removes and returns what came too late for the last run. */
    takeLate(): readonly string[] {
      const messages = late;
      late = [];
      return messages.filter((text) => text !== '');
    },
    /** Replaces the history by a summary that the model writes. Resolves to its length in characters. */
    async compact(signal: AbortSignal): Promise<number> {
      const history = await loadHistory(kept.session);
      if (history.length === 0) return 0;
      const { provider, system } = agent.options;
      const ended = await collect(
        run({ provider, model, system, signal, messages: [...history, { role: 'user', content: SUMMARIZE }] }),
      );
      usage = addUsage(usage, ended.usage);
      turns += ended.turns;
      if (ended.reason === 'error') throw ended.error;
      if (ended.reason !== 'done' || ended.answer.trim() === '') return 0;
      const content = `What we have talked about so far:\n\n${ended.answer}`;
      await replace([{ type: 'message', message: { role: 'user', content } }]);
      return ended.answer.length;
    },
    /** Undoes what the last turn changed in the workspace. The model reads so with the next message. */
    async undo() {
      const undone = await undoChanges(workspace, lastChange);
      const paths = undone.changes.flatMap((change) => change.paths.map(({ path }) => path));
      if (paths.length > 0) news = `[I took back what you changed in the last turn: ${paths.join(', ')}.]\n\n`;
      return undone;
    },
    history: () => loadHistory(kept.session),
    model: () => model,
    /** Uses another model of the same provider from the next turn on. */
    useModel(name: string): void {
      model = name;
    },
    /** What all turns have used, and how many model calls they made. */
    totals: () => ({ usage, turns }),
    close: () => kept.close(),
  };
}

/** The resources of servers that a message mentions. */
async function attached(
  text: string,
  agent: OpenAgent,
  signal: AbortSignal,
): Promise<readonly (TextPart | MediaPart)[]> {
  if (!text.includes('@')) return [];
  const { attachResources, mayMention } = await import('../mcp-servers/attach-resources.ts');
  return mayMention(text) ? attachResources(text, await agent.servers(), signal) : [];
}

export type Conversation = Awaited<ReturnType<typeof openConversation>>;

export type ChatSession = Pick<KeptSession, 'start' | 'record' | 'close'> & { readonly session: Session };

export interface ChatSessions {
  open(): Promise<ChatSession>;
  /** Makes a new conversation of some entries of another one, for a message that is asked again or a history that is compacted. */
  fork(entries: readonly SessionEntry[]): Promise<ChatSession>;
}

/** Conversations in the sessions of the program; those that cannot be kept, or shall not, end with it. */
export function keptSessions(invocation: Invocation): ChatSessions {
  const { continue: _continued, session: _named, ...flags } = invocation.flags;
  return {
    open: async () => (await keepSession(invocation, true)) ?? inMemory(),
    async fork(entries) {
      const next = await keepSession({ ...invocation, flags }, true);
      if (next === undefined) return inMemory(entries);
      await next.session.append(entries);
      return next;
    },
  };
}

export function inMemory(entries?: readonly SessionEntry[]): ChatSession {
  const session = createMemorySession(entries);
  return { session, start: () => undefined, record: () => undefined, close: () => session.close() };
}
