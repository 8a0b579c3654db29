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
  /** When the run is cancelled if it has not finished by then. Default: never. */
  readonly deadline?: Date | undefined;
}

/**
 * Writes a run that is to start, with its messages and its input as JSON. Doing so again with the same id and input has no effect. Returns whether it
 * is new. Throws `CONFIG_INVALID` for an id that another input has.
 */
export function startRun(
  db: Database,
  id: string,
  { agent, version = '1', at, deadline }: Omit<StartOptions, 'messages' | 'input'>,
  stored: string,
): boolean {
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
