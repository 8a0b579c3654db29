import { createRedactor, untilAborted } from '@kernel/internal';
import {
  KernelError,
  type Message,
  type MessageEnd,
  type ProviderRequest,
  type ProviderEvent,
  textOf,
  type ToolCall,
  toolCallsOf,
  type Usage,
} from '@kernel/protocol';
import { toToolset } from '@kernel/schema';
import type { StartAgent } from '../agent/agent-process.ts';
import { type AgentSession, startSession } from '../agent/agent-session.ts';
import type { SessionEvent } from '../agent/session-events.ts';
import { applyChanges } from '../changes/apply-changes.ts';
import { findChanges } from '../changes/find-changes.ts';
import type { CheckedOptions } from '../check-options.ts';
import { answersIn, decisionOf, describeDenial, describeOutcome, isStillOpen } from './history.ts';
import { addPart, answerOf, NO_USAGE, type Part, replyOf } from './reply.ts';
import { AGENT_TOOLS, allowedText, isPermission } from './tools.ts';

type Events = AsyncGenerator<ProviderEvent, void>;

/**
 * Makes an agent the model of a run: each of its replies is what it says until it asks for something, and what it asks for as calls. Its last call is that its
 * changes are brought back. So everything that holds for the calls of a model holds for the requests of an agent.
 *
 * A run that goes on in another process, or after a decision that came later, has a history and no agent. If only the changes waited, they are made from the call.
 * Otherwise the agent begins anew, and what was decided on in the history is not asked again.
 */
export function createAgentProvider(options: CheckedOptions, start: StartAgent, onProgress: (update: string) => void) {
  const redactor = createRedactor(Object.values(options.env));
  let starting: Promise<AgentSession> | undefined;
  let end: Extract<SessionEvent, { type: 'end' }> | undefined;
  let failure: KernelError | undefined;
  let answer = '';
  let notes: string[] = [];
  let countedTokens = 0;

  const begin = (messages: readonly Message[], signal: AbortSignal): Promise<AgentSession> => {
    const decided = answersIn(messages).filter(isStillOpen);
    const [task] = messages;
    return startSession(options, {
      start,
      text: task === undefined ? '' : textOf(task),
      signal,
      redactor,
      onProgress: (update) => onProgress(redactor.text(update)),
      earlierDecision: (call) => {
        const at = decided.findIndex((each) => each.call.name === call.name && each.call.arguments === call.arguments);
        const [earlier] = at === -1 ? [] : decided.splice(at, 1);
        return earlier && decisionOf(earlier);
      },
      firstRequest: messages.flatMap(toolCallsOf).length + 1,
    });
  };

  /** Returns the usage since the last reply. Until the agent reports it, its context counts as input. */
  const takeUsage = (session: AgentSession): Usage => {
    const reported = end?.usage ?? { inputTokens: session.contextTokens() ?? 0, outputTokens: 0 };
    const usage = { ...reported, inputTokens: Math.max(0, reported.inputTokens - countedTokens) };
    countedTokens += usage.inputTokens;
    if (end !== undefined) end = { ...end, usage: undefined };
    return usage;
  };

  /** Ends the agent. Returns the reply with what it changed, if it changed anything. */
  async function* bringBack(
    session: AgentSession,
    parts: Part[],
    signal: AbortSignal,
  ): AsyncGenerator<ProviderEvent, MessageEnd | undefined> {
    await session.endWork();
    // Commands that ended with it are said to have.
    for (let last = session.next(); last !== undefined; last = session.next())
      if (last.type !== 'request' && last.type !== 'end' && last.type !== 'error') yield* addPart(last, parts);
    const { workspace, name: agent } = options;
    const { copy } = session;
    const holdsSecret = (text: string): boolean => redactor.text(text) !== text;
    const found = await findChanges({ workspace, copy, signal, holdsSecret });
    notes.push(...copy.skipped, ...found.skipped);
    if (found.call === undefined) return undefined;
    answer = answerOf(parts);
    const { skipped, ...changes } = found.call;
    const json = JSON.stringify({ agent, ...changes, ...(skipped && { skipped: redactor.data(skipped) }) });
    const call: ToolCall = { type: 'tool-call', id: 'changes', name: 'apply_patch', arguments: json };
    return replyOf([...parts, call], 'tool-calls', takeUsage(session));
  }

  /** Replies with what a failed agent has changed so far, or has used. Then the run ends with the error. */
  async function* giveUp(session: AgentSession, error: KernelError, parts: Part[], signal: AbortSignal): Events {
    const changes = yield* bringBack(session, parts, signal);
    // The run may read no further than the end of a reply.
    failure = withNote(error, notes.join(' '));
    notes = [];
    if (changes !== undefined) return yield changes;
    const usage = takeUsage(session);
    if (usage.inputTokens + usage.outputTokens === 0) throw failure;
    yield replyOf(parts, 'paused', usage);
  }

  async function* lastReply(parts: readonly Part[], usage: Usage): Events {
    const isSilent = !parts.some((part) => part.type === 'text');
    const noted = redactor.text(notes.join('\n'));
    const text = noted || (isSilent ? 'The agent ended its turn without an answer and without changes.' : '');
    const added: readonly Part[] = text === '' ? [] : [{ type: 'text', text: isSilent ? text : `\n\n${text}` }];
    for (const part of added) if (part.type === 'text') yield { type: 'text-delta', text: part.text };
    yield replyOf([...parts, ...added], end?.finishReason ?? 'stop', usage);
  }

  async function* reply(messages: readonly Message[], signal: AbortSignal): Events {
    const answers = answersIn(messages).filter(({ isLast }) => isLast);
    const changes = answers.find(({ call }) => call.id === 'changes');
    if (changes !== undefined) {
      const outcome = describeOutcome(changes);
      if (failure !== undefined) throw withNote(failure, outcome);
      const last = messages.findLast((message) => message.role === 'assistant');
      if (answer === '' && last !== undefined) answer = textOf(last);
      notes = [outcome, ...notes];
      // What the agent has used was counted with the reply before.
      return yield* lastReply([], NO_USAGE);
    }
    if (failure !== undefined) throw failure;
    const isNew = starting === undefined;
    const session = await (starting ??= begin(messages, signal));
    for (const answered of isNew ? [] : answers) {
      const decision = decisionOf(answered);
      session.decide(answered.call.id, decision);
      if (!decision.isAllowed && isPermission(answered.call.id)) notes.push(describeDenial(answered, decision.reason));
    }
    const parts: Part[] = [];
    let calls: ToolCall[] = [];
    let isGathered = false;
    for (;;) {
      const next = session.next();
      if (next?.type === 'error') return yield* giveUp(session, next.error, parts, signal);
      if (next?.type === 'end') end = next;
      else if (next?.type === 'request') calls.push(next.call);
      else if (next !== undefined) yield* addPart(next, parts);
      else if (calls.length > 0) {
        if (isGathered) break;
        // What it asks for at once is decided on at once.
        await new Promise((resolve) => void setImmediate(resolve));
        isGathered = true;
      } else if (end === undefined) await untilAborted(session.untilReady(), signal);
      else {
        const changed = yield* bringBack(session, parts, signal);
        return changed === undefined ? yield* lastReply(parts, takeUsage(session)) : yield changed;
      }
      // What it asked for may have been taken back meanwhile, or its turn have ended.
      calls = calls.filter(({ id }) => session.isWaiting(id));
    }
    yield replyOf([...parts, ...calls], 'tool-calls', takeUsage(session));
  }

  return {
    name: options.name,
    async *stream({ messages, signal = new AbortController().signal }: ProviderRequest): Events {
      try {
        yield* reply(messages, signal);
      } catch (error) {
        // An agent may report what it was given.
        throw KernelError.is(error) ? withNote(error, '', (text) => redactor.text(text)) : error;
      }
    },
    /** What runs the calls of its replies. */
    tools: toToolset({
      list: () => AGENT_TOOLS,
      async call(call, context) {
        if (call.name === 'apply_patch') return applyChanges(options.workspace, call.arguments, context.signal);
        // A command that was decided on later: the agent begins anew, and gets its terminal when it asks again.
        if (call.name !== 'run_command' || starting === undefined) return { forLLM: allowedText(call.arguments) };
        return (await starting).runCommand(call, context);
      },
    }),
    /** Returns the answer of the agent, where the last reply is about its changes. */
    answer: () => answer,
    /** Ends the agent. `addUsage` gets what it has used since its last reply, if its turn was cut off. */
    close: async (addUsage: (usage: Usage) => void): Promise<void> => {
      const session = await starting?.catch(() => undefined);
      if (session !== undefined && end === undefined && failure === undefined) {
        // At once, since a run that is aborted does not wait for long; then what it tells when it ends its turn.
        addUsage(takeUsage(session));
        end = { type: 'end', finishReason: 'other', usage: await session.cancel() };
        addUsage(takeUsage(session));
      }
      await session?.close();
    },
  };
}

/** Adds a sentence to the message of an error. */
function withNote(error: KernelError, note: string, redact = (text: string): string => text): KernelError {
  const { code, message, hint } = error;
  const whole = redact(note === '' ? message : `${message} ${note}`);
  const shown = hint === undefined ? undefined : redact(hint);
  return whole === message && shown === hint ? error : new KernelError(code, whole, { hint: shown });
}
