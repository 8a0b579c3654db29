import { type JsonValue, KernelError, type Message, STEP_FORMAT } from '@kernel/protocol';
import type { Database } from '../database/database.ts';
import { takeEarly } from './early.ts';
import { text } from './read-run.ts';

/** What a run starts with. */
export interface StartOptions {
  /** The name of the agent, as workers know it. */
  readonly agent: string;
  /** The conversation so far. */
  readonly messages: readonly Message[];
  /** The version of the agent that the run begins with. Default `1`. */
  readonly version?: string | undefined;
  /** What the agent's `run` gets besides. JSON. */
  readonly input?: JsonValue | undefined;
  /** When it starts. Default: at once. */
  readonly at?: Date | undefined;
  /** When it is cancelled if it is not over. Default: never. */
  readonly deadline?: Date | undefined;
}

const MAX_ID = 500;

/**
 * Writes a run that is to start. The same id with the same input again changes nothing. Returns whether it is new.
 *
 * Throws `CONFIG_INVALID` for an id that another input has, and for values that a journal cannot hold.
 */
export function startRun(db: Database, id: string, options: StartOptions): boolean {
  const { agent, messages, version = '1', input, at, deadline } = options;
  const stored = JSON.stringify({ messages, ...(input === undefined ? {} : { input }) });
  const now = Date.now();
  const isNew =
    db.run(
      `INSERT OR IGNORE INTO runs (id, agent, version, format, input, status, wake_at, deadline_at, created_at, updated_at)
       VALUES (?, ?, ?, ?, ?, 'queued', ?, ?, ?, ?)`,
      id,
      agent,
      version,
      STEP_FORMAT,
      stored,
      at?.getTime() ?? null,
      deadline?.getTime() ?? null,
      now,
      now,
    ) > 0;
  if (isNew) {
    takeEarly(db, id);
    return true;
  }
  const known = db.get('SELECT agent, input FROM runs WHERE id = ?', id);
  if (known !== undefined && text(known, 'agent') === agent && text(known, 'input') === stored) return false;
  throw new KernelError('CONFIG_INVALID', `The run ${JSON.stringify(id)} was started with something else.`, {
    hint: 'An id stands for one agent and one input: take another id.',
  });
}

/** Throws `CONFIG_INVALID` for what cannot be started. */
export function checkStart(id: unknown, options: StartOptions): void {
  if (typeof id !== 'string' || id === '' || id.length > MAX_ID)
    throw new KernelError(
      'CONFIG_INVALID',
      `start() was called with an id that is not a text of 1 to ${MAX_ID} characters.`,
      {
        hint: 'Pass an id of your own, such as the number of a ticket: start("ticket-42", { agent, messages }).',
      },
    );
  const { agent, messages }: { readonly agent: unknown; readonly messages: unknown } = options;
  if (typeof agent !== 'string' || agent === '')
    throw new KernelError('CONFIG_INVALID', `start(${JSON.stringify(id)}) was called without the name of an agent.`, {
      hint: 'Pass { agent: "support" }, as in work({ agents: { support } }).',
    });
  if (!Array.isArray(messages))
    throw new KernelError('CONFIG_INVALID', `start(${JSON.stringify(id)}) was called without an array of messages.`, {
      hint: 'Pass messages: [{ role: "user", content: "…" }].',
    });
  for (const [name, date] of Object.entries({ at: options.at, deadline: options.deadline }))
    if (date !== undefined && Number.isNaN(date.getTime()))
      throw new KernelError(
        'CONFIG_INVALID',
        `start(${JSON.stringify(id)}) was called with an invalid date as ${name}.`,
      );
}
