import { createRedactor, type Redactor, untilAborted } from '@kernel/internal';
import {
  KernelError,
  type Message,
  type MessageEnd,
  type Provider,
  type ProviderEvent,
  textOf,
  type ToolCall,
  toolCallsOf,
  type Usage,
} from '@kernel/protocol';
import type { StartAgent } from '../agent/agent-process.ts';
import { startSession } from '../agent/agent-session.ts';
import type { AgentSession, SessionEvent } from '../agent/session-types.ts';
import { addPart, answerOf, NO_USAGE, type Part, replyOf } from './reply.ts';
import { type AgentCalls, allowedText, isPermission } from './tools.ts';
import { applyChanges } from '../changes/apply-changes.ts';
import { findChanges } from '../changes/find-changes.ts';
import type { CheckedOptions } from '../check-options.ts';
import { decisionOf, decisionsOf, describeDenial, describeOutcome, resultsOf, taskOf } from './history.ts';

/** An agent as the model of a run. */
export interface AgentProvider extends Provider {
  /** What runs the calls of its replies. */
  readonly calls: AgentCalls;
  /** The answer of the agent, where the last reply is about its changes. */
  answer(): string;
  /** Ends the agent. `addUsage` gets what it has used since its last reply, if its turn was cut off. */
  close(addUsage: (usage: Usage) => void): Promise<void>;
}

/**
 * Makes an agent the model of a run: each of its replies is what it says until it asks for something, and what it asks for as calls. Its last call is that its
 * changes are brought back. So everything that holds for the calls of a model holds for the requests of an agent.
 *
 * A run that goes on in another process, or after a decision that came later, has a history and no agent. If only the changes waited, they are made from the call.
 * Otherwise the agent begins anew, and what was decided on in the history is not asked again.
 */
export function createAgentProvider(
  options: CheckedOptions,
  start: StartAgent,
  onProgress: (update: string) => void,
): AgentProvider {
  const redactor = createRedactor(Object.values(options.env));
  let session: AgentSession | undefined;
  let starting: Promise<AgentSession> | undefined;
  let end: Extract<SessionEvent, { type: 'end' }> | undefined;
  let failure: KernelError | undefined;
  let answer = '';
  let notes: string[] = [];
  let countedTokens = 0;

  const begin = (messages: readonly Message[], signal: AbortSignal): Promise<AgentSession> => {
    const decided = decisionsOf(messages);
    return startSession(options, {
      start,
      task: taskOf(messages),
      signal,
      redactor,
      onProgress: (update) => onProgress(redactor.text(update)),
      earlierDecision: (call) => {
        const at = decided.findIndex((each) => each.name === call.name && each.arguments === call.arguments);
        return at === -1 ? undefined : decided.splice(at, 1)[0]?.decision;
      },
      firstRequest: messages.flatMap(toolCallsOf).length + 1,
    });
  };

  /** What was used since the last reply. Until the agent tells what its turn has used, what its context holds counts as what it read. */
  const takeUsage = (): Usage => {
    const reported = end?.usage ?? { inputTokens: session?.contextTokens() ?? 0, outputTokens: 0 };
    const usage = { ...reported, inputTokens: Math.max(0, reported.inputTokens - countedTokens) };
    countedTokens += usage.inputTokens;
    if (end?.usage !== undefined) end = { ...end, usage: undefined };
    return usage;
  };

  const holdsSecret = (text: string): boolean => redactor.text(text) !== text;
  /** The reply with what the agent changed, if it changed anything. */
  async function* bringBack(
    running: AgentSession,
    parts: Part[],
    signal: AbortSignal,
  ): AsyncGenerator<ProviderEvent, MessageEnd | undefined> {
    await running.endWork();
    // Commands that ended with it are said to have.
    for (let last = running.next(); last !== undefined; last = running.next())
      if (last.type !== 'request' && last.type !== 'end' && last.type !== 'error') yield* addPart(last, parts);
    notes.push(...running.copy.skipped);
    const found = await findChanges({ workspace: options.workspace, copy: running.copy, signal, holdsSecret });
    notes.push(...found.skipped);
    if (found.call === undefined) return undefined;
    answer = answerOf(parts);
    const { skipped = [], ...changes } = found.call;
    const named = skipped.length > 0 && { skipped: skipped.map((sentence) => redactor.text(sentence)) };
    const json = JSON.stringify({ agent: options.name, ...changes, ...named });
    const call: ToolCall = { type: 'tool-call', id: 'changes', name: 'apply_patch', arguments: json };
    return replyOf([...parts, call], 'tool-calls', takeUsage());
  }

  /** The reply of an agent that failed: with what it has changed until then, or with what it has used. Then the run ends with the error. */
  async function* giveUp(
    running: AgentSession,
    error: KernelError,
    { parts, signal }: { readonly parts: Part[]; readonly signal: AbortSignal },
  ): AsyncGenerator<ProviderEvent, void> {
    const changes = yield* bringBack(running, parts, signal);
    const noted = notes.join(' ');
    failure = noted === '' ? error : withMessage(error, `${error.message} ${noted}`);
    notes = [];
    if (changes !== undefined) return yield changes;
    const usage = takeUsage();
    if (usage.inputTokens + usage.outputTokens === 0) throw failure;
    yield replyOf(parts, 'paused', usage);
  }

  async function* lastReply(parts: readonly Part[], usage: Usage): AsyncGenerator<ProviderEvent, void> {
    const isSilent = !parts.some((part) => part.type === 'text');
    const text =
      redactor.text(notes.join('\n')) ||
      (isSilent ? 'The agent ended its turn without an answer and without changes.' : '');
    const content = [...parts];
    if (text !== '') {
      const added = isSilent ? text : `\n\n${text}`;
      yield { type: 'text-delta', text: added };
      content.push({ type: 'text', text: added });
    }
    yield replyOf(content, end?.finishReason ?? 'stop', usage);
  }

  async function* stream(messages: readonly Message[], signal: AbortSignal): AsyncGenerator<ProviderEvent, void> {
    const results = resultsOf(messages);
    const changes = results.find(({ toolCallId }) => toolCallId === 'changes');
    if (changes !== undefined) {
      const outcome = describeOutcome(changes, messages);
      if (failure !== undefined) throw withMessage(failure, `${failure.message} ${outcome}`);
      const last = messages.findLast((message) => message.role === 'assistant');
      if (answer === '' && last !== undefined) answer = textOf(last);
      notes = [outcome, ...notes];
      // What the agent has used was counted with the reply before.
      return yield* lastReply([], NO_USAGE);
    }
    if (failure !== undefined) throw failure;
    if (session === undefined) session = await (starting = begin(messages, signal));
    else
      for (const result of results) {
        const decision = decisionOf(result, messages);
        session.decide(result.toolCallId, decision);
        if (!decision.isAllowed && isPermission(result.toolCallId))
          notes.push(describeDenial(result, messages, decision.reason));
      }
    const parts: Part[] = [];
    const calls: ToolCall[] = [];
    let isGathered = false;
    for (;;) {
      const next = session.next();
      if (next?.type === 'error') return yield* giveUp(session, next.error, { parts, signal });
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
        const reply = yield* bringBack(session, parts, signal);
        if (reply === undefined) return yield* lastReply(parts, takeUsage());
        return yield reply;
      }
      // What it asked for may have been taken back meanwhile, or its turn have ended.
      for (const call of calls.filter(({ id }) => session?.isWaiting(id) === false))
        calls.splice(calls.indexOf(call), 1);
    }
    yield replyOf([...parts, ...calls], 'tool-calls', takeUsage());
  }

  return {
    name: options.name,
    stream: ({ messages, signal = new AbortController().signal }) => redactErrors(stream(messages, signal), redactor),
    calls: {
      runCommand: (call, context) =>
        session === undefined
          ? // Decided on later: the agent begins anew, and gets its terminal when it asks again.
            Promise.resolve({ forLLM: allowedText(call.arguments) })
          : session.runCommand(call, context),
      applyPatch: (call, { signal }) => applyChanges(options.workspace, call.arguments, signal),
    },
    answer: () => answer,
    close: async (addUsage) => {
      await starting?.catch(() => undefined);
      if (session !== undefined && end === undefined && failure === undefined) {
        // At once, since a run that is aborted does not wait for long; then what it tells when it ends its turn.
        addUsage(takeUsage());
        end = { type: 'end', finishReason: 'other', usage: await session.cancel() };
        addUsage(takeUsage());
      }
      await session?.close();
    },
  };
}

/** Passes on what a stream yields, and keeps secrets out of what it throws: an agent may report what it was given. */
async function* redactErrors(
  events: AsyncGenerator<ProviderEvent, void>,
  redactor: Redactor,
): AsyncGenerator<ProviderEvent, void> {
  try {
    yield* events;
  } catch (error) {
    if (!KernelError.is(error)) throw error;
    const message = redactor.text(error.message);
    const hint = error.hint === undefined ? undefined : redactor.text(error.hint);
    if (message === error.message && hint === error.hint) throw error;
    throw new KernelError(error.code, message, { ...(hint !== undefined && { hint }) });
  }
}

function withMessage({ code, hint }: KernelError, message: string): KernelError {
  return new KernelError(code, message, { ...(hint !== undefined && { hint }) });
}
