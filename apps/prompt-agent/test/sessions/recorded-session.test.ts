import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMemorySession, type Session } from '@kernel/agent';
import { openDurable } from '@kernel/durable';
import { scriptedProvider, verifies } from '@kernel/testing';
import { expect, onTestFinished, test } from 'vitest';
import { openRecordedSession } from '../../src/runs/recorded-session.ts';

const messages = [{ role: 'user', content: 'Go' }] as const;

/** A session whose process dies when the answer comes: before it is written, or right after. */
function dyingSession(session: Session, when: 'before' | 'after'): Session {
  return {
    ...session,
    async append(entries) {
      const isEnd = entries.some((entry) => entry.type === 'message' && entry.message.role === 'assistant');
      if (!isEnd || when === 'after') await session.append(entries);
      if (isEnd) throw new Error('the process dies');
    },
  };
}

test.each(['before', 'after'] as const)(
  'a death right %s what a run has added comes into the session adds it once',
  async (when) => {
    verifies('cli.durable.once');
    const folder = mkdtempSync(join(tmpdir(), 'recorded-'));
    const path = join(folder, 'runs.db');
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const session = createMemorySession();
    const surroundings = { signal: new AbortController().signal, output: { note: () => undefined } };
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- of the output only its notes are used
    const open = (on: Session) => openRecordedSession(path, on, surroundings as never);
    const first = await open(dyingSession(session, when));
    const provider = scriptedProvider([{ text: 'Done.' }]);
    const run = async (): Promise<void> => {
      for await (const event of first.run({ provider, model: 'm' }, messages)) void event;
    };
    await expect(run()).rejects.toThrow('the process dies');
    first.close();
    const second = await open(session);
    expect(await second.lastAnswer()).toBe('Done.');
    second.close();
    const entries = await session.entries();
    expect(entries.map((entry) => entry.type === 'message' && entry.message.role)).toEqual(['user', 'assistant']);
    const db = openDurable(path);
    expect(await db.list()).toEqual([]);
    db.close();
  },
);
