import { closeSync, openSync, readSync } from 'node:fs';
import { resolve } from 'node:path';
import { errorMessage } from '@kernel/internal';
import type { CommandCall } from '../../command-call.ts';
import { EXIT } from '../../exit-code.ts';
import { oneLine } from '../../output/escape.ts';
import { salvageSessions } from '../../sessions/database/salvage-sessions.ts';
import { usageError } from '../../usage-error.ts';
import { withStore } from './with-store.ts';

/** The first bytes of every SQLite file. */
const SQLITE_MAGIC = 'SQLite format 3\0';

/**
 * Recovers what can be read of a damaged file, and keeps that file: the sessions of a database that was set aside are added to the current one; for a session
 * of `openFileSession`, a copy keeps the damaged lines. Says what is missing.
 */
export async function sessionsRepair(call: CommandCall): Promise<number> {
  const [given] = call.words;
  if (given === undefined)
    throw usageError(
      'sessions repair needs a FILE: a sessions database that was set aside, or a session in JSON Lines.',
    );
  const path = resolve(call.host.cwd, given);
  return startOf(path, given) === SQLITE_MAGIC || path.endsWith('.db')
    ? repairStore(call, path, given)
    : repairLog(call, path);
}

function startOf(path: string, given: string): string {
  try {
    const file = openSync(path, 'r');
    try {
      const start = Buffer.alloc(SQLITE_MAGIC.length);
      return start.toString('latin1', 0, readSync(file, start, 0, start.length, 0));
    } finally {
      closeSync(file);
    }
  } catch (error) {
    throw usageError(`"${oneLine(given)}" cannot be read: ${oneLine(errorMessage(error))}.`);
  }
}

function repairStore(call: CommandCall, path: string, given: string): Promise<number> {
  return withStore(call, (store) => {
    if (path === store.path)
      throw usageError(
        'This is the sessions database in use. It needs no repair: it is set aside when damage is found in it.',
      );
    const { sessions, known, isPartial } = salvage(() => salvageSessions(path, store), given);
    const missing = isPartial ? ' Part of the file cannot be read and is missing.' : '';
    call.output.write(
      `${sessions} ${sessions === 1 ? 'session' : 'sessions'} restored${known === 0 ? '' : `, ${known} already there`}.${missing}\n`,
    );
    return EXIT.answer;
  });
}

function salvage<Value>(work: () => Value, given: string): Value {
  try {
    return work();
  } catch (error) {
    throw usageError(`Nothing of "${oneLine(given)}" can be read: ${oneLine(errorMessage(error))}.`);
  }
}

async function repairLog({ output }: CommandCall, path: string): Promise<number> {
  const { openFileSession } = await import('@kernel/agent/session-file');
  let message = `The session ${path} is not damaged.`;
  const session = await openFileSession(path, {
    onDamage: (damage) => {
      message = damage.message;
    },
  });
  await session.close();
  output.write(`${oneLine(message, 2000)}\n`);
  return EXIT.answer;
}
