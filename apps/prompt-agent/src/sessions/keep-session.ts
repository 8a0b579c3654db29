import { createRedactor, withoutQuery } from '@kernel/internal';
import { type AgentEvent, KernelError, type Message } from '@kernel/protocol';
import { stateFolder } from '../config/folders.ts';
import { sessionsSetting } from '../config/sessions-setting.ts';
import { usageError } from '../exit-code.ts';
import type { Invocation } from '../invocation.ts';
import { oneLine } from '../output/escape.ts';
import { ageOf } from '../output/quantities.ts';
import type { CommandSetting } from '../questions/show-call.ts';
import { journalPath } from '../runs/open-journal.ts';
import { findSession, folderOf, lastOfFolder, nearNames } from './find-session.ts';
import { beginSession, lastAnswerOf, type OpenSession, resumeSession, type SessionUse } from './open-session.ts';
import { nowMs, runStart, toSessionEvent } from './session-event.ts';
import { calledOf, type SessionRecord, SHORT_ID } from './session-record.ts';
import { openStore, type SessionStore, setAsideNote } from './session-store.ts';
import { tolerateFailures } from './tolerant-session.ts';

/** The flags about tools that are kept with a session, so that whoever continues it is told of them. */
const SESSION_FLAGS = ['bundle', 'mode', 'workspace', 'tools', 'execute', 'memory'] as const;

/**
 * Opens the session of a run: the last one of this folder with `--continue`, that of `--session`, else a new one. Undefined where
 * they are turned off, and where a new one cannot be kept, which is a note. Rejects with a usage error where there is nothing to continue, and
 * with `SESSION_LOCKED` while another process has it open. `newId` is the id of a new one.
 */
export async function keepSession(invocation: Invocation, hasPrompt: boolean, allowsJournal = false, newId?: string) {
  const { flags, choice, host, output } = invocation;
  const isAsked = flags.continue === true || flags.session !== undefined || flags.durable === true;
  if (!isAsked && !(await sessionsSetting(flags, host)).isKept) return undefined;
  let store: SessionStore | undefined;
  try {
    store = openStore(stateFolder(host));
    if (store.damaged !== undefined) output.alert(setAsideNote(store.damaged));
    const { opened, journal } = openFor(store, invocation, { hasPrompt, allowsJournal, newId });
    const session = tolerateFailures(opened, (line) => output.note(line));
    const entries = isAsked ? await session.entries() : [];
    if (entries.length === 0 && !hasPrompt) throw missingPrompt();
    const lost = entries.filter(({ type }) => type === 'lost').length;
    if (lost > 0)
      output.alert(
        `note: ${lost} of the ${entries.length} entries of this session cannot be read, and what they said is missing from the conversation. prompt-agent sessions export ${session.id.slice(0, SHORT_ID)} shows where.`,
      );
    return {
      session,
      /** The last answer, if nothing is pending in the conversation. */
      lastAnswer: lastAnswerOf(entries),
      /** The path of the journal that its runs are recorded in; undefined if they are not. */
      journal,
      start(messages: readonly Message[], commands: CommandSetting | undefined): void {
        const data = runStart(choice.provider.name, choice.model, messages, commands);
        session.write({ atMs: nowMs(), path: [], data });
      },
      /** Writes an event of the run; never throws. */
      record(event: AgentEvent): void {
        const stored = toSessionEvent(event, nowMs());
        if (stored !== undefined) session.write(stored);
      },
      async close(): Promise<void> {
        await session.close();
        store?.close();
      },
    };
  } catch (error) {
    store?.close();
    if (isAsked || !(KernelError.is(error, 'STORE_FAILED') || KernelError.is(error, 'CONFIG_INVALID'))) throw error;
    output.note(`note: ${error.message} This run is not kept. ${error.hint ?? ''}`.trim());
    return undefined;
  }
}

export type KeptSession = NonNullable<Awaited<ReturnType<typeof keepSession>>>;

function missingPrompt(): Error {
  return usageError('A prompt is missing: the session has no messages yet.');
}

interface Opened {
  readonly opened: OpenSession;
  readonly journal: string | undefined;
}

interface Opening {
  readonly hasPrompt: boolean;
  readonly allowsJournal: boolean;
  readonly newId: string | undefined;
}

function openFor(store: SessionStore, invocation: Invocation, { hasPrompt, allowsJournal, newId }: Opening): Opened {
  const { flags, host, output } = invocation;
  const journal = flags.durable === true ? journalPath(flags, host) : undefined;
  const folder = folderOf(host.cwd);
  if (flags.continue === true) {
    const last = store.use((database) => lastOfFolder(database, folder));
    if (last === undefined)
      throw usageError('There is no session in this folder to continue. Leave out --continue, or give --session NAME.');
    return resume(store, last, { journal, allowsJournal }, invocation);
  }
  const name = flags.session;
  const begin = (): Opened => ({
    opened: beginSession(store, folder, name, useOf(invocation, journal), newId),
    journal,
  });
  if (name === undefined) return begin();
  // A short word of hexadecimal digits is a new name sooner than an id.
  const found = store.use((database) => findSession(database, name, SHORT_ID));
  if (found !== undefined) return resume(store, found, { journal, allowsJournal }, invocation);
  if (!hasPrompt) throw missingPrompt();
  const near = store.use((database) => nearNames(database, name));
  output.note(
    `session: "${oneLine(name, 80)}" is new.${near.length === 0 ? '' : ` There is also ${near.join(' and ')}.`}`,
  );
  return begin();
}

function resume(
  store: SessionStore,
  record: SessionRecord,
  { journal: given, allowsJournal }: { readonly journal: string | undefined; readonly allowsJournal: boolean },
  invocation: Invocation,
): Opened {
  const { flags, output } = invocation;
  const kept = record.flags['durable'];
  const journal = typeof kept === 'string' ? kept : given;
  const called = oneLine(calledOf(record), 80);
  if (journal !== undefined && !allowsJournal)
    throw usageError(
      `The session ${called} is recorded in a journal: continue it with prompt-agent -c or --session, not here.`,
    );
  if (given !== undefined && given !== journal && flags.journal !== undefined)
    throw usageError(`The session ${called} is recorded in another journal: omit --journal.`);
  const use = useOf(invocation, journal);
  const opened = resumeSession(store, record, use);
  const model = record.model === use.model ? '' : `, so far with ${oneLine(record.model, 64)}`;
  output.note(`session: ${called} goes on, last used ${ageOf(record.changedMs)} ago${model}`);
  const missing = SESSION_FLAGS.filter((flag) => record.flags[flag] !== undefined && flags[flag] === undefined);
  const shown = missing.map((flag) => {
    const value = record.flags[flag];
    return value === true ? `--${flag}` : `--${flag} ${oneLine(String(value), 80)}`;
  });
  if (shown.length > 0)
    output.note(`note: it was last used with ${shown.join(' ')}. Give that again for the same tools.`);
  return { opened, journal };
}

function useOf({ flags, choice, loaded, secret }: Invocation, journal: string | undefined): SessionUse {
  const { provider, model } = choice;
  const given = SESSION_FLAGS.filter((flag) => flags[flag] !== undefined).map((flag) => {
    const value = flags[flag];
    // An address is kept without what stands in its query, which may be a key.
    return [flag, typeof value === 'string' ? withoutQuery(value) : value] as const;
  });
  return {
    provider: provider.name,
    model,
    flags: { ...Object.fromEntries(given), ...(journal === undefined ? {} : { durable: journal }) },
    redactor: createRedactor([secret]),
    prices: flags.price ?? loaded.config.model.prices,
  };
}
