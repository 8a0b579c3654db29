import { loadHistory, run, type RunOptions, type Session, type SessionEntry } from '@kernel/agent';
import type { Durable, RunExecutor, DurableRun } from '@kernel/durable';
import { isObject } from '@kernel/internal';
import { type AgentEvent, type JsonValue, KernelError, type Message, type RunEnd, toolCallsOf } from '@kernel/protocol';
import type { Invocation } from '../invocation.ts';
import { lastAnswerOf } from '../sessions/last-answer.ts';
import { createJournal } from './open-journal.ts';
import { createEventTee } from './event-tee.ts';

/** A session whose runs are recorded in a journal: a run is there as long as the session does not have what it added. */
export interface RecordedSession {
  /** The last answer, if nothing is pending in the session nor in the journal. */
  lastAnswer(): Promise<string | undefined>;
  /**
   * Goes on with the run that has not ended, else starts one with these messages, or with what is pending. Emits one `run-end`, last, when what the run has
   * added is in the session; one with `approval` for calls that wait in the journal.
   */
  run(options: Omit<RunOptions, 'messages'>, messages: readonly Message[]): AsyncGenerator<AgentEvent, void>;
  /** Closes the journal. */
  close(): void;
}

/** How often a run is tried whose journal could not be written. */
const MAX_TRIES = 3;
/** How long the end of a run may take to be written, in milliseconds. */
const END_MS = 30_000;
const FINAL: ReadonlySet<DurableRun['status']> = new Set(['done', 'failed', 'cancelled']);

/** Opens the journal of a session, and adds to the session what a run ended with whose process died after that. */
export async function openRecordedSession(
  path: string,
  session: Session,
  { signal, output }: Pick<Invocation, 'signal' | 'output'>,
): Promise<RecordedSession> {
  const db = await createJournal(path);
  // No other session goes on with its runs.
  const agent = `session ${session.id}`;
  /** The id of the run that goes on from what is in the session now. */
  const runId = async (): Promise<string> => `${session.id}-${(await session.entries()).length}`;

  /** Moves what a run has added into the session. */
  async function moveToSession(record: DurableRun): Promise<void> {
    const before = await loadHistory(session);
    const entries = addedEntries(record, before.length);
    if (record.status === 'cancelled' && entries.length === 0)
      output.note('note: the run was cancelled; what it had done is not in the session.');
    // A session that cannot be written says so by itself; then the journal keeps the run.
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
    // One that is not at the end of the session is in it already: the process died before the run was deleted.
    const stale = ended.filter((each) => each.id !== id && FINAL.has(each.status));
    if (stale.length > 0) await db.purge({ ids: stale.map((each) => each.id) });
    const current = ended.find((each) => each.id === id);
    if (current !== undefined && hasHistory(current)) await moveToSession(current);
  }

  /** Makes sure that a run is in the journal to go on with. Returns its id. */
  async function prepare(system: string | undefined, messages: readonly Message[]): Promise<string> {
    const id = await runId();
    const known = await db.status(id);
    if (known === undefined) {
      if (!(await append(messages.map((message) => ({ type: 'message', message })))))
        throw new KernelError('STORE_FAILED', 'The session could not be written, so that its run was not started.');
      const started = await runId();
      // The prompt of the start: notes and instructions that have changed since would make it another run.
      const input = { system: system ?? null };
      await db.start(started, { agent, messages: await loadHistory(session), input });
      return started;
    }
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
    const events = (executor: RunExecutor, input: JsonValue | undefined): AsyncIterable<AgentEvent> =>
      tee.forward(run({ ...rest, system: systemOf(input), ...executor }));
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
    async lastAnswer() {
      return (await db.status(await runId())) === undefined ? lastAnswerOf(await session.entries()) : undefined;
    },
    async *run(options, messages) {
      const id = await prepare(options.system, messages);
      for (let tries = 1; ; tries += 1) {
        const end = yield* attempt(id, options);
        // oxlint-disable-next-line no-await-in-loop -- one attempt after another
        const record = await db.status(id);
        if (record !== undefined && FINAL.has(record.status)) {
          // oxlint-disable-next-line no-await-in-loop -- the last one
          await moveToSession(record);
          yield end ?? failedEnd(record);
          return;
        }
        if (signal.aborted) {
          output.note('note: the run is in its journal; prompt-agent -c goes on with it.');
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

/** What a run has added to a session, which had `length` messages. A call whose result is not there has perhaps run. */
function addedEntries({ result }: DurableRun, length: number): readonly SessionEntry[] {
  // eslint-disable-next-line typescript/no-unsafe-type-assertion -- the messages of a run-end, as JSON
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

/** Whether what a run that is over has added can be told: one that its process never ended cannot say so. */
function hasHistory({ status, result }: DurableRun): boolean {
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

function failedEnd({ result, status }: DurableRun): RunEnd {
  if (status === 'cancelled') return emptyEnd({ reason: 'aborted' });
  return emptyEnd({ reason: 'error', error: KernelError.fromJSON(result?.error) });
}

async function waitingEnd(db: Durable, id: string): Promise<RunEnd> {
  const calls = (await db.waiting(id)).map(({ call }) => call);
  const pending = calls.flatMap((call) => ('tool' in call ? [call] : []));
  return emptyEnd({ reason: 'approval', pending });
}

function blockedError({ id, result }: DurableRun): KernelError {
  return new KernelError(
    'CONFIG_INVALID',
    `The run cannot go on as it is asked for now: ${KernelError.fromJSON(result?.error).message}`,
    {
      hint: `Give the model and the options of before, or give the run up: prompt-agent runs cancel ${id}`,
    },
  );
}
