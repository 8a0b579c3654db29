import { isObject } from '@kernel/internal';
import {
  type AgentEvent,
  checkKeys,
  isRepeatable,
  KernelError,
  type Message,
  optionKeys,
  type SuspendedCall,
  toolCallsOf,
} from '@kernel/protocol';
import { freezeMessage, toToolMessage } from '../history/messages.ts';
import { readMessage } from '../history/read-message.ts';
import { lostResult, repairHistory } from '../history/repair-history.ts';
import { withSuspendedCalls } from '../history/suspended-calls.ts';
import { inProcessSteps } from '../loop/steps.ts';
import { stopOnReturn } from '../iteration/async-generator.ts';
import { RUN } from '../option-keys.ts';
import type { RequiredContext, RunOptions } from '../options.ts';
import { runWatched } from '../run.ts';
import { createLogPosition } from './log-position.ts';
import { withSessionLog } from './logged-steps.ts';
import type { Session, SessionEntry } from './session.ts';
import { storeError } from './store-error.ts';
import { untilStored } from './until-stored.ts';

type WithoutMessages<Context, Output> = Omit<RunOptions<Context, Output>, 'messages' | 'steps'>;

/** Options of a run whose history is in a session. */
export interface SessionRunOptions<Context = unknown, Output = unknown> extends WithoutMessages<Context, Output> {
  /** Where the history is. */
  readonly session: Session;
  /** The new messages. Leave them out to continue with the pending calls. */
  readonly messages?: readonly Message[] | undefined;
}

const { steps: _steps, ...OPTIONS } = RUN;
const SESSION_RUN_KEYS = optionKeys<SessionRunOptions>({ ...OPTIONS, session: true });

/**
 * Runs a conversation that is stored in a session: loads its history, and writes each addition before the run continues.
 *
 * Each call is logged before its handler is entered. After a crash, a call of a `write` or `external` tool that had started does not run again: the
 * model reads `OUTCOME_UNKNOWN`. Any other call without a result runs (again). A run that ended with `approval` continues where it stopped, with the
 * decisions made so far; with new messages, pending calls that had not started are not run, and their results say so. A failed write ends the run
 * with reason `error`; one before the start of the run is thrown. Throws `CONFIG_INVALID` immediately for unknown options.
 *
 * @example
 * ```ts
 * import { collect, runSession } from '@kernel/agent';
 * import { openFileSession } from '@kernel/agent/session-file';
 * import { createProvider } from '@kernel/providers';
 *
 * const session = await openFileSession('chat.jsonl');
 * const messages = [{ role: 'user', content: 'Go on.' }] as const;
 * await collect(runSession({ session, provider: createProvider({ name: 'ollama' }), model: 'qwen3', messages }));
 * await session.close();
 * ```
 */
export function runSession<Context = unknown, Output = unknown>(
  options: SessionRunOptions<Context, Output> & RequiredContext<Context>,
): AsyncGenerator<AgentEvent<Output>, void>;
export function runSession(options: SessionRunOptions): AsyncGenerator<AgentEvent, void> {
  return runSessionWatched(options);
}

/** Like `runSession`, and shows each event to `watch` as it is emitted, however far behind the reader is. */
export function runSessionWatched(
  options: SessionRunOptions,
  watch?: (event: AgentEvent) => void,
): AsyncGenerator<AgentEvent, void> {
  checkKeys('runSession', options, SESSION_RUN_KEYS);
  if (typeof options.session?.append !== 'function')
    throw new KernelError('CONFIG_INVALID', 'runSession() was called without a session.', {
      hint: 'Pass createMemorySession(), or await openFileSession(path) of @kernel/agent/session-file.',
    });
  const controller = new AbortController();
  const own = controller.signal;
  const signal = options.signal === undefined ? own : AbortSignal.any([own, options.signal]);
  return stopOnReturn(runInSession({ ...options, signal }, watch), () => controller.abort());
}

async function* runInSession(
  options: SessionRunOptions,
  watch: ((event: AgentEvent) => void) | undefined,
): AsyncGenerator<AgentEvent, void> {
  const { session, messages: added = [], runId = session.id, ...rest } = options;
  const { signal } = rest;
  const entries = await readEntries(session, signal);
  const history = toHistory(entries);
  await append(session, added, signal);
  const position = createLogPosition([...entries, ...added.map(toEntry)]);
  const logged = withSessionLog(inProcessSteps, { session, signal, position });
  yield* runWatched({ ...rest, runId, messages: [...history, ...added], steps: logged }, (event) => {
    position.mark(event);
    watch?.(event);
  });
}

/** Returns the history of a session, repaired: every call that must not run again has a result. */
export async function loadHistory(session: Session): Promise<readonly Message[]> {
  return toHistory(await readEntries(session, undefined));
}

function toHistory(entries: readonly SessionEntry[]): readonly Message[] {
  const messages = entries.flatMap((entry) => (entry.type === 'message' ? (readMessage(entry.message) ?? []) : []));
  const answered = new Set(messages.flatMap((message) => (message.role === 'tool' ? [message.toolCallId] : [])));
  const { begun, kept } = openCalls(entries);
  const lost: Message[] = [];
  const history = messages.map((message) => {
    if (message.role !== 'assistant') return message;
    const open = toolCallsOf(message).filter((call) => !answered.has(call.id));
    const lostCalls = open.filter(({ id }) => begun.get(id) === 'unrepeatable');
    lost.push(...lostCalls.map((call) => toToolMessage(call, lostResult(call))));
    // A call that had not begun has not run, whether anybody was asked about it or not.
    const waiting = open.flatMap(({ id }) => (begun.has(id) ? [] : [kept.get(id) ?? { callId: id }]));
    return withSuspendedCalls(message, waiting);
  });
  return repairHistory([...history, ...lost]).map(freezeMessage);
}

function openCalls(entries: readonly SessionEntry[]): {
  readonly begun: ReadonlyMap<string, 'repeatable' | 'unrepeatable'>;
  readonly kept: ReadonlyMap<string, SuspendedCall>;
} {
  const begun = new Map<string, 'repeatable' | 'unrepeatable'>();
  const kept = new Map<string, SuspendedCall>();
  const hasLost = entries.some(({ type }) => type === 'lost');
  let waiting: string[] = [];
  for (const entry of entries) {
    if (entry.type === 'lost') {
      for (const id of waiting) begun.set(id, begun.get(id) ?? 'unrepeatable');
      waiting = [];
    } else if (entry.type === 'message') {
      const message = hasLost ? readMessage(entry.message) : undefined;
      if (message !== undefined) waiting.push(...toolCallsOf(message).map(({ id }) => id));
    } else if (entry.type === 'call-start') {
      // An agent that had gone on may have run calls that are not in this log.
      const hasGoneOn = kept.get(entry.callId)?.agents !== undefined;
      begun.set(entry.callId, isRepeatable(entry.effect) && !hasGoneOn ? 'repeatable' : 'unrepeatable');
    } else if (entry.type === 'suspended') {
      for (const call of entry.calls) {
        begun.delete(call.callId);
        waiting.push(call.callId);
        const { agents = kept.get(call.callId)?.agents } = call;
        kept.set(call.callId, { ...call, ...(agents && { agents }) });
      }
    }
  }
  return { begun, kept };
}

async function readEntries(session: Session, signal: AbortSignal | undefined): Promise<readonly SessionEntry[]> {
  try {
    const entries: unknown = await untilStored(() => session.entries(), signal);
    if (!Array.isArray(entries)) throw new TypeError('entries() did not resolve to an array.');
    const readable: unknown = entries.filter(isObject);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the session wrote
    return readable as readonly SessionEntry[];
  } catch (error) {
    throw storeError('The session could not be read', error);
  }
}

async function append(session: Session, messages: readonly Message[], signal: AbortSignal | undefined): Promise<void> {
  try {
    await untilStored(() => session.append(messages.map(toEntry)), signal);
  } catch (error) {
    throw storeError('The session could not be written', error);
  }
}

function toEntry(message: Message): SessionEntry {
  return { type: 'message', message };
}
