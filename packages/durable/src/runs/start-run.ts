import { type JsonValue, KernelError, type Message, STEP_FORMAT } from '@kernel/protocol';
import type { Database } from '../database/database.ts';
import { takeEarly } from './early-signals.ts';
import { text } from './read-run.ts';

/** Options of `start`. */
export interface StartOptions {
  /** The name of the agent, as given to `work`. */
  readonly agent: string;
  /** The conversation so far. */
  readonly messages: readonly Message[];
  /** The version of the agent that the run starts on. Default `1`. */
  readonly version?: string | undefined;
  /** Extra input for the agent's `run`. JSON. */
  readonly input?: JsonValue | undefined;
  /** When the run starts. Default: immediately. */
  readonly at?: Date | undefined;
  /** When the run is cancelled if it is not over by then. Default: never. */
  readonly deadline?: Date | undefined;
}

const MAX_ID = 500;

/**
 * Adds a run to the queue. Repeating it with the same id and input changes nothing. Returns whether the run is new.
 *
 * Throws `CONFIG_INVALID` for an id that is taken by another input.
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
  throw new KernelError(
    'CONFIG_INVALID',
    `The run ${JSON.stringify(id)} was already started with another agent or input.`,
    {
      hint: 'Use another id: each stands for one agent and one input.',
    },
  );
}

/** Throws `CONFIG_INVALID` for invalid arguments of `start`. */
export function checkStart(id: unknown, options: StartOptions): void {
  if (typeof id !== 'string' || id === '' || id.length > MAX_ID)
    throw new KernelError(
      'CONFIG_INVALID',
      `start() was called with an id that is not a string of 1 to ${MAX_ID} characters.`,
      {
        hint: 'Pass an id of your own, such as a ticket number: start("ticket-42", { agent, messages }).',
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
