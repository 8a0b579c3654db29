import { untilAborted } from '@kernel/internal';
import {
  type AssistantMessage,
  type FinishReason,
  KernelError,
  type Message,
  type MessageEnd,
  type Provider,
  type ProviderEvent,
  textOf,
  type ToolCall,
  toolCallsOf,
  type ToolMessage,
  type Usage,
} from '@kernel/protocol';
import { type AgentSession, type FromAgent, startSession } from './agent/agent-session.ts';
import type { Said } from './agent/updates.ts';
import type { Decision } from './requests/decisions.ts';
import { type AgentCalls, allowedText, isPermission } from './agent-tools.ts';
import { applyChanges } from './changes/apply-changes.ts';
import { type FileChange, findChanges } from './changes/find-changes.ts';
import { writePatch } from './changes/patch.ts';
import type { CheckedOptions } from './check-options.ts';

/** An agent as the model of a run. */
export interface AgentProvider extends Provider {
  /** What runs the calls of its replies. */
  readonly calls: AgentCalls;
  /** The answer of the agent, where the last reply is about its changes. */
  answer(): string;
  /** Ends the agent. */
  close(): Promise<void>;
}

type Part = AssistantMessage['content'][number];

/** What `apply_patch` takes, and what a person can be shown. */
const MAX_PATCH = 4_000_000;

/**
 * Makes an agent the model of a run: each of its replies is what it says until it asks for something, and what it asks for as calls. Its last call is that its
 * changes are brought back. So everything that holds for the calls of a model holds for the requests of an agent.
 *
 * A run that goes on in another process, or after a decision that came later, has a history and no agent. If only the changes waited, they are made from the call.
 * Otherwise the agent begins anew, and what was decided on in the history is not asked again.
 */
export function createAgentProvider(options: CheckedOptions, onProgress: (update: string) => void): AgentProvider {
  let session: AgentSession | undefined;
  let starting: Promise<AgentSession> | undefined;
  let made: readonly FileChange[] = [];
  let end: Extract<FromAgent, { type: 'end' }> | undefined;
  let answer = '';
  let notes: string[] = [];

  const begin = (messages: readonly Message[], signal: AbortSignal): Promise<AgentSession> => {
    const decided = decisionsOf(messages);
    return startSession(options, {
      task: taskOf(messages),
      signal,
      onProgress,
      decidedBefore: (call) => {
        const at = decided.findIndex((each) => each.name === call.name && each.arguments === call.arguments);
        return at === -1 || !isPermission(call.id) ? undefined : decided.splice(at, 1)[0]?.decision;
      },
      firstRequest: messages.flatMap(toolCallsOf).length + 1,
    });
  };

  /** The reply with what the agent changed, or the last one if that is nothing. */
  async function* finish(
    running: AgentSession,
    parts: Part[],
    signal: AbortSignal,
  ): AsyncGenerator<ProviderEvent, void> {
    await running.endWork();
    const found = await findChanges(options.workspace, running.copy, signal);
    made = found.changes;
    notes.push(...found.left);
    const patch = writePatch(made);
    if (made.length > 0 && patch.length > MAX_PATCH) {
      notes.push(
        `Not brought back, because a diff of ${patch.length} characters cannot be shown: all changes of ${made.length} files. Give the agent a smaller task.`,
      );
      made = [];
    }
    if (made.length === 0) return yield* lastReply(parts);
    answer = answerOf(parts);
    const call: ToolCall = {
      type: 'tool-call',
      id: 'changes',
      name: 'apply_patch',
      arguments: JSON.stringify({ agent: options.name, patch }),
    };
    yield replyOf([...parts, call], 'tool-calls', end?.usage);
  }

  async function* lastReply(parts: readonly Part[], usage = end?.usage): AsyncGenerator<ProviderEvent, void> {
    const isSilent = !parts.some((part) => part.type === 'text');
    const text =
      notes.join('\n') || (isSilent ? 'The agent ended its turn without an answer and without changes.' : '');
    const content = [...parts];
    if (text !== '') {
      const said = isSilent ? text : `\n\n${text}`;
      yield { type: 'text-delta', text: said };
      content.push({ type: 'text', text: said });
    }
    yield replyOf(content, end?.finishReason ?? 'stop', usage);
  }

  async function* stream(messages: readonly Message[], signal: AbortSignal): AsyncGenerator<ProviderEvent, void> {
    const results = resultsOf(messages);
    const changes = results.find(({ toolCallId }) => toolCallId === 'changes');
    if (changes !== undefined) {
      const last = messages.findLast((message) => message.role === 'assistant');
      if (answer === '' && last !== undefined) answer = textOf(last);
      notes = [sayOfChanges(changes, made), ...notes];
      // The usage of the agent was counted with the reply before.
      return yield* lastReply([], undefined);
    }
    if (session === undefined) session = await (starting = begin(messages, signal));
    else
      for (const result of results) {
        const decision = decisionOf(result, messages);
        session.settle(result.toolCallId, decision);
        if (!decision.isAllowed && isPermission(result.toolCallId)) notes.push(`Not allowed: ${decision.reason}`);
      }
    const parts: Part[] = [];
    const calls: ToolCall[] = [];
    let isGathered = false;
    for (;;) {
      const said = session.take();
      if (said?.type === 'error') throw said.error;
      if (said?.type === 'end') end = said;
      else if (said?.type === 'request') calls.push(said.call);
      else if (said !== undefined) yield* addPart(said, parts);
      else if (calls.length > 0) {
        if (isGathered) break;
        // What it asks for at once is decided on at once.
        await new Promise((resolve) => void setImmediate(resolve));
        isGathered = true;
      } else if (end === undefined) await untilAborted(session.ready(), signal);
      else return yield* finish(session, parts, signal);
    }
    yield replyOf([...parts, ...calls], 'tool-calls');
  }

  return {
    name: options.name,
    stream: ({ messages, signal = new AbortController().signal }) => stream(messages, signal),
    calls: {
      runCommand: (call, context) => {
        if (session === undefined)
          throw new KernelError('TOOL_FAILED', 'The agent that asked for this command has ended.');
        return session.runCommand(call, context);
      },
      applyPatch: (patch, { signal }) => applyChanges(options.workspace, patch, made, signal),
    },
    answer: () => answer,
    close: async () => {
      await starting?.catch(() => undefined);
      await session?.close();
    },
  };
}

/** Adds what an agent said to a reply, and reports it. */
function* addPart(said: Said, parts: Part[]): Generator<ProviderEvent, void> {
  if (said.type === 'own-call') {
    parts.push(said.call, said.result);
    yield said.call;
    yield said.result;
    return;
  }
  const { type, text } = said;
  const last = parts.at(-1);
  if (last?.type === type) parts[parts.length - 1] = { type, text: last.text + text };
  else parts.push({ type, text });
  yield type === 'text' ? { type: 'text-delta', text } : { type: 'reasoning-delta', text };
}

function replyOf(content: readonly Part[], finishReason: FinishReason, usage: Usage = NO_USAGE): MessageEnd {
  return { type: 'message-end', message: { role: 'assistant', content }, finishReason, usage };
}

const NO_USAGE: Usage = { inputTokens: 0, outputTokens: 0 };

/** What it said last: after the last of its own calls, or else all of it. */
function answerOf(parts: readonly Part[]): string {
  const textIn = (some: readonly Part[]): string =>
    some
      .flatMap((part) => (part.type === 'text' ? [part.text] : []))
      .join('')
      .trim();
  const lastCall = parts.findLastIndex(({ type }) => type === 'server-tool-result');
  return textIn(parts.slice(lastCall + 1)) || textIn(parts);
}

function taskOf([first]: readonly Message[]): string {
  return first === undefined ? '' : textOf(first);
}

/** The results of the calls of the last reply. */
function resultsOf(messages: readonly Message[]): readonly ToolMessage[] {
  const last = messages.findLastIndex(({ role }) => role === 'assistant');
  return messages.slice(last + 1).filter((message): message is ToolMessage => message.role === 'tool');
}

/** What was decided on in a history, by the call. */
function decisionsOf(messages: readonly Message[]): { name: string; arguments: string; decision: Decision }[] {
  const results = messages.filter((message): message is ToolMessage => message.role === 'tool');
  return results.flatMap((result) => {
    const call = messages.flatMap(toolCallsOf).find(({ id }) => id === result.toolCallId);
    return call === undefined || !isPermission(call.id) ? [] : [{ ...call, decision: decisionOf(result, messages) }];
  });
}

function decisionOf({ toolCallId, content, isError }: ToolMessage, messages: readonly Message[]): Decision {
  const call = messages.flatMap(toolCallsOf).findLast(({ id }) => id === toolCallId);
  const text = typeof content === 'string' ? content : textOf({ role: 'user', content });
  if (isError === true || call === undefined) return { isAllowed: false, reason: text };
  // An agent does what it asked for, whatever a person made of it.
  if (isPermission(toolCallId) && !text.includes(allowedText(call.arguments)))
    return { isAllowed: false, reason: 'The request was edited, and the agent can only be allowed what it asked for.' };
  return { isAllowed: true };
}

/** What became of the changes, for the calling model. */
function sayOfChanges({ content, isError }: ToolMessage, made: readonly FileChange[]): string {
  const text = typeof content === 'string' ? content : textOf({ role: 'user', content });
  if (isError !== true) return text;
  const files = made.map(({ path }) => JSON.stringify(path));
  const named =
    files.length === 0
      ? ''
      : ` It had changed ${files.slice(0, 20).join(', ')}${files.length > 20 ? ` and ${files.length - 20} more` : ''}.`;
  return `The changes of the agent were not made. ${text}${named}`;
}
