import type { Session, SessionEntry } from '@kernel/agent';
import { createRedactor } from '@kernel/internal';
import { type AgentEvent, KernelError, type Message, textOf, toolCallsOf } from '@kernel/protocol';
import { stateFolder } from '../config/folders.ts';
import { sessionsSetting } from '../config/sessions-setting.ts';
import type { Invocation } from '../invocation.ts';
import { pricesOf } from '../options/price.ts';
import { oneLine } from '../render/escape.ts';
import { usageError } from '../usage-error.ts';
import { ageOf } from './age.ts';
import { findSession, folderOf, lastOfFolder, nearNames } from './find-session.ts';
import { beginSession, type OpenSession, resumeSession, type SessionUse } from './open-session.ts';
import { nowMs, promptTexts, toSessionEvent } from './session-event.ts';
import { calledOf, type SessionRecord, SHORT_ID } from './session-record.ts';
import { openStore, type SessionStore } from './session-store.ts';
import { tolerateFailures } from './tolerant-session.ts';

/** The session of one run. */
export interface KeptSession {
  /** The conversation. */
  readonly session: Session;
  /** The last answer, if nothing is pending in the conversation. */
  readonly lastAnswer: string | undefined;
  /** Writes that a run begins with these messages. */
  start(messages: readonly Message[]): void;
  /** Writes an event of the run; never throws. */
  record(event: AgentEvent): void;
  /** Lets others write. */
  close(): Promise<void>;
}

/** The flags about tools that are kept with a session, so that whoever continues it is told of them. */
const SESSION_FLAGS = ['bundle', 'mode', 'workspace', 'tools', 'execute', 'memory'] as const;

/**
 * Opens the session of a run: the last one of this folder with `--continue`, that of `--session`, else a new one. Undefined where
 * they are turned off, and where a new one cannot be kept, which is a note. Rejects with a usage error where there is nothing to continue, and
 * with `SESSION_LOCKED` while another process has it open.
 */
export async function keepSession(invocation: Invocation, hasPrompt: boolean): Promise<KeptSession | undefined> {
  const { flags, host, output } = invocation;
  const isAsked = flags.continue === true || flags.session !== undefined;
  if (!isAsked && !(await sessionsSetting(flags, host)).isKept) return undefined;
  let store: SessionStore | undefined;
  try {
    store = openStore(stateFolder(host));
    if (store.damaged !== undefined)
      output.note(
        `note: the sessions in ${store.path} were damaged. They were put aside as ${store.damaged}, and a new file was begun.`,
      );
    const opened = openFor(store, invocation, hasPrompt);
    const session = tolerateFailures(opened, (line) => output.note(line));
    const entries = isAsked ? await session.entries() : [];
    if (entries.length === 0 && !hasPrompt) throw missingPrompt();
    const lastAnswer = lastAnswerOf(entries);
    return toKept(invocation, session, lastAnswer, store);
  } catch (error) {
    store?.close();
    if (isAsked || !(KernelError.is(error, 'STORE_FAILED') || KernelError.is(error, 'CONFIG_INVALID'))) throw error;
    output.note(`note: ${error.message} This run is not kept. ${error.hint ?? ''}`.trim());
    return undefined;
  }
}

function toKept(
  { choice }: Invocation,
  session: ReturnType<typeof tolerateFailures>,
  lastAnswer: string | undefined,
  store: SessionStore,
): KeptSession {
  return {
    session,
    lastAnswer,
    start(messages) {
      const { provider, model } = choice;
      const data = { type: 'run-start', provider: provider.name, model, prompts: promptTexts(messages) } as const;
      session.write({ atMs: nowMs(), path: [], data });
    },
    record(event) {
      const stored = toSessionEvent(event, nowMs());
      if (stored !== undefined) session.write(stored);
    },
    async close() {
      await session.close();
      store.close();
    },
  };
}

function missingPrompt(): Error {
  return usageError('A prompt is missing: the session has no messages yet.');
}

function openFor(store: SessionStore, invocation: Invocation, hasPrompt: boolean): OpenSession {
  const { flags, host, output } = invocation;
  const use = useOf(invocation);
  const folder = folderOf(host.cwd);
  if (flags.continue === true) {
    const last = store.use((database) => lastOfFolder(database, folder));
    if (last === undefined)
      throw usageError('There is no session in this folder to continue. Leave out --continue, or give --session NAME.');
    return resume(store, last, use, invocation);
  }
  const name = flags.session;
  if (name === undefined) return beginSession(store, folder, undefined, use);
  // A short word of hexadecimal digits is a new name sooner than an id.
  const found = store.use((database) => findSession(database, name, SHORT_ID));
  if (found !== undefined) return resume(store, found, use, invocation);
  if (!hasPrompt) throw missingPrompt();
  const near = store.use((database) => nearNames(database, name));
  output.note(
    `session: "${oneLine(name, 80)}" is new.${near.length === 0 ? '' : ` There is also ${near.join(' and ')}.`}`,
  );
  return beginSession(store, folder, name, use);
}

function resume(
  store: SessionStore,
  record: SessionRecord,
  use: SessionUse,
  { flags, output }: Invocation,
): OpenSession {
  const opened = resumeSession(store, record, use);
  const model = record.model === use.model ? '' : `, so far with ${oneLine(record.model, 64)}`;
  output.note(`session: ${oneLine(calledOf(record), 80)} goes on, last used ${ageOf(record.changedMs)} ago${model}`);
  const missing = SESSION_FLAGS.filter((flag) => record.flags[flag] !== undefined && flags[flag] === undefined);
  const shown = missing.map((flag) => flagText(flag, record.flags[flag]));
  if (shown.length > 0)
    output.note(`note: it was last used with ${shown.join(' ')}. Give that again for the same tools.`);
  return opened;
}

function flagText(name: string, value: unknown): string {
  return value === true ? `--${name}` : `--${name} ${oneLine(String(value), 80)}`;
}

function useOf({ flags, choice, loaded }: Invocation): SessionUse {
  const { provider, model } = choice;
  const given = SESSION_FLAGS.filter((flag) => flags[flag] !== undefined).map((flag) => [flag, flags[flag]] as const);
  const secret = typeof provider.token === 'string' ? provider.token : undefined;
  return {
    provider: provider.name,
    model,
    flags: Object.fromEntries(given),
    redactor: createRedactor([secret]),
    prices: pricesOf(flags, loaded.config.model.prices),
  };
}

/** The text of the last message, if it is an answer that waits for nothing. */
function lastAnswerOf(entries: readonly SessionEntry[]): string | undefined {
  const last = entries.findLast((entry) => entry.type === 'message')?.message;
  if (last?.role !== 'assistant' || toolCallsOf(last).length > 0) return undefined;
  return textOf(last);
}
