import { loadHistory, run, type RunOptions, type Session, type SessionEntry } from '@kernel/agent';
import type { Durable, DurableContext, RecordedRun } from '@kernel/durable';
import { isObject } from '@kernel/internal';
import { type AgentEvent, type JsonValue, KernelError, type Message, type RunEnd, toolCallsOf } from '@kernel/protocol';
import type { Invocation } from '../invocation.ts';
import { type CommandSetting, NOT_ISOLATED } from '../questions/show-call.ts';
import { lastAnswerOf } from '../sessions/open-session.ts';
import { commandsOf } from '../sessions/transcript.ts';
import { createEventTee } from './event-tee.ts';
import { createJournal } from './open-journal.ts';

/** How many times to try a run whose journal cannot be written. */
const MAX_TRIES = 3;
/** How long writing the end of a run may take, in milliseconds. */
const END_MS = 30_000;
const FINAL: ReadonlySet<RecordedRun['status']> = new Set(['done', 'failed', 'cancelled']);

/**
 * Opens the journal of a session. A run stays there until its messages are in the session. If a process died between the end of a run and the session,
 * adds the run's messages to the session.
 */
export async function openRecordedSession(
  path: string,
  session: Session,
  { signal, output }: Pick<Invocation, 'signal' | 'output'>,
) {
  const db = await createJournal(path);
  // So that no other session continues its runs.
  const agent = `session ${session.id}`;
  /** Returns the id of the run that continues the session from its current state. */
  const runId = async (): Promise<string> => `${session.id}-${(await session.entries()).length}`;

  /** Moves the messages of a run into the session. */
  async function moveToSession(record: RecordedRun): Promise<void> {
    const before = await loadHistory(session);
    const entries = addedEntries(record, before.length);
    if (record.status === 'cancelled' && entries.length === 0)
      output.note('note: the run was cancelled; its messages are not in the session.');
    // If the session cannot be written, it reports that itself, and the journal keeps the run.
    if (await append(entries)) await db.purge({ ids: [record.id] });
  }

  /** Resolves to whether the session has the entries now. */
  async function append(entries: readonly SessionEntry[]): Promise<boolean> {
    const before = (await session.entries()).length;
    if (entries.length > 0) await session.append(entries);
    return (await session.entries()).length === before + entries.length;
  }

  async function settle(): Promise<void> {
    const id = await runId();
    const ended = await db.list({ agent });
    // A run that does not continue the session is already in it: the process died before deleting the run.
    const stale = ended.filter((each) => each.id !== id && FINAL.has(each.status));
    if (stale.length > 0) await db.purge({ ids: stale.map((each) => each.id) });
    const current = ended.find((each) => each.id === id);
    if (current !== undefined && hasHistory(current)) await moveToSession(current);
  }

  /** Makes sure that the journal has a run to continue. Returns its id. */
  async function prepare(
    system: string | undefined,
    messages: readonly Message[],
    commands: CommandSetting | undefined,
  ): Promise<string> {
    const id = await runId();
    const known = await db.status(id);
    if (known === undefined) {
      if (!(await append(messages.map((message) => ({ type: 'message', message })))))
        throw new KernelError('STORE_FAILED', 'The session could not be written, so its run was not started.');
      const started = await runId();
      // The system prompt is kept from the start: notes and instructions may change, and would block the run.
      const kept = commands === undefined ? {} : { commands: { ...commands, isolation: commands.isolation ?? null } };
      const input = { system: system ?? null, ...kept };
      await db.start(started, { agent, messages: await loadHistory(session), input });
      return started;
    }
    const asked = commandsOf((await db.input(id))?.input);
    if (asked !== undefined && commands !== undefined && !isAsDecided(commands, asked))
      throw cannotContinue(
        id,
        `its commands run in ${asked.folder}, ${asked.isolation === null ? NOT_ISOLATED : `isolated: ${asked.isolation}`}.`,
      );
    if (known.status === 'blocked' || known.status === 'failed') await db.retry(id);
    for (const message of messages)
      // oxlint-disable-next-line no-await-in-loop -- in their order
      if (message.role === 'user') await db.steer(id, message);
    return id;
  }

  async function* attempt(
    id: string,
    options: Omit<RunOptions, 'messages'>,
  ): AsyncGenerator<AgentEvent, RunEnd | undefined> {
    const tee = createEventTee();
    const { signal: _signal, approve, ...rest } = options;
    const events = (context: DurableContext, input: JsonValue | undefined): AsyncIterable<AgentEvent> =>
      tee.forward(run({ ...rest, system: systemOf(input), ...context }));
    const worker = db.work({ agents: { [agent]: { run: events, approve, maxAttempts: 1_000_000 } }, maxRuns: 1 });
    const leave = (): void => {
      tee.end();
      void worker.drain(0);
    };
    signal.addEventListener('abort', leave, { once: true });
    if (signal.aborted) leave();
    let end: RunEnd | undefined;
    let graceMs = 0;
    try {
      for await (const event of tee.events)
        if (event.type === 'run-end') end = event;
        else yield event;
      if (!signal.aborted) graceMs = END_MS;
    } finally {
      signal.removeEventListener('abort', leave);
      await worker.drain(graceMs);
    }
    return end;
  }

  await settle();
  return {
    /** Returns the last answer, unless anything is pending in the session or the journal. */
    async lastAnswer(): Promise<string | undefined> {
      return (await db.status(await runId())) === undefined ? lastAnswerOf(await session.entries()) : undefined;
    },
    /**
     * Continues the unfinished run, if there is one; otherwise starts one with these messages, or with what is pending. The last event is one `run-end`, emitted
     * once the run's messages are in the session, or with reason `approval` for calls that wait in the journal. How its commands run is recorded with it, for
     * whoever decides on them; rejects with `CONFIG_INVALID` where those of an unfinished run would now run in another folder, or not isolated any more.
     */
    async *run(
      options: Omit<RunOptions, 'messages'>,
      messages: readonly Message[],
      commands?: CommandSetting,
    ): AsyncGenerator<AgentEvent, void> {
      const id = await prepare(options.system, messages, commands);
      for (let tries = 1; ; tries += 1) {
        // A worker leaves alone what waits for a decision, and would wait with it.
        // oxlint-disable-next-line no-await-in-loop -- one attempt after another
        const isWaiting = (await db.status(id))?.status === 'waiting';
        const end = isWaiting ? undefined : yield* attempt(id, options);
        // oxlint-disable-next-line no-await-in-loop -- one attempt after another
        const record = await db.status(id);
        if (record !== undefined && FINAL.has(record.status)) {
          // oxlint-disable-next-line no-await-in-loop -- the last one
          await moveToSession(record);
          yield end ?? failedEnd(record);
          return;
        }
        if (signal.aborted) {
          output.note('note: the run is in its journal; prompt-agent -c continues it.');
          yield emptyEnd({ reason: 'aborted' });
          return;
        }
        if (record?.status === 'waiting') {
          // oxlint-disable-next-line no-await-in-loop -- as above
          yield await waitingEnd(db, id);
          return;
        }
        if (record?.status === 'blocked') throw blockedError(record);
        if (tries >= MAX_TRIES) throw new KernelError('STORE_FAILED', 'The journal could not be written.');
      }
    },
    close: () => db.close(),
  };
}

/** Returns what a run adds to a session of `length` messages. A call without a result may have run. */
function addedEntries({ result }: RecordedRun, length: number): readonly SessionEntry[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the messages of a run-end, as JSON
  const messages = (result?.messages ?? []) as unknown as readonly Message[];
  const added = messages.filter(({ role }) => role !== 'system').slice(length);
  const answered = new Set(added.flatMap((message) => (message.role === 'tool' ? [message.toolCallId] : [])));
  const begun = added
    .flatMap((message) => (message.role === 'assistant' ? toolCallsOf(message) : []))
    .filter(({ id }) => !answered.has(id));
  return [
    ...added.map((message): SessionEntry => ({ type: 'message', message })),
    ...begun.map(({ id, name }): SessionEntry => ({ type: 'call-start', callId: id, name, effect: 'external' })),
  ];
}

/** Whether the messages of a finished run are known. They are not if it failed because its process died. */
function hasHistory({ status, result }: RecordedRun): boolean {
  return FINAL.has(status) && (status !== 'failed' || result?.messages !== undefined);
}

function systemOf(input: JsonValue | undefined): string | undefined {
  const system: unknown = isObject(input) ? input['system'] : undefined;
  return typeof system === 'string' ? system : undefined;
}

type Ended = RunEnd extends infer E
  ? E extends RunEnd
    ? Omit<E, 'type' | 'turns' | 'messages' | 'usage'>
    : never
  : never;

function emptyEnd(ended: Ended): RunEnd {
  return { type: 'run-end', ...ended, turns: 0, messages: [], usage: { inputTokens: 0, outputTokens: 0 } };
}

function failedEnd({ result, status }: RecordedRun): RunEnd {
  if (status === 'cancelled') return emptyEnd({ reason: 'aborted' });
  return emptyEnd({ reason: 'error', error: KernelError.fromJSON(result?.error) });
}

async function waitingEnd(db: Durable, id: string): Promise<RunEnd> {
  const calls = (await db.waiting(id)).map(({ call }) => call);
  const pending = calls.flatMap((call) => ('tool' in call ? [call] : []));
  return emptyEnd({ reason: 'approval', pending });
}

function blockedError({ id, result }: RecordedRun): KernelError {
  return cannotContinue(id, KernelError.fromJSON(result?.error).message);
}

function cannotContinue(id: string, why: string): KernelError {
  return new KernelError('CONFIG_INVALID', `The run cannot continue with these options: ${why}`, {
    hint: `Restore the previous model and options, or cancel the run: prompt-agent runs cancel ${id}`,
  });
}

/** Whether commands run where, and as isolated as, those who decided on them were told. */
function isAsDecided(now: CommandSetting, told: CommandSetting): boolean {
  return now.folder === told.folder && (told.isolation === null || now.isolation !== null);
}
