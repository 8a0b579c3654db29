import { KernelError, STEP_FORMAT } from '@kernel/protocol';
import type { Database } from '../database/database.ts';
import type { DurableStartOptions } from '../types.ts';
import { takeEarly } from './signals.ts';
import { text } from './read-run.ts';

/**
 * Writes a run that is to start, with its messages and its input as JSON. Doing so again with the same id and input has no effect. Returns whether it
 * is new. Throws `CONFIG_INVALID` for an id that another input has.
 */
export function startRun(
  db: Database,
  id: string,
  { agent, version = '1', at, deadline }: Omit<DurableStartOptions, 'messages' | 'input'>,
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
