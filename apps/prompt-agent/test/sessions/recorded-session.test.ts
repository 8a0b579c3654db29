import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMemorySession, type Session } from '@kernel/agent';
import { openDurable } from '@kernel/durable';
import type { ApprovalDecision, Message } from '@kernel/protocol';
import { scriptedProvider, verifies } from '@kernel/testing';
import { bindTool, createRegistry } from '@kernel/tools';
import { expect, onTestFinished, test } from 'vitest';
import type { CommandSetting } from '../../src/questions/show-call.ts';
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

test('a run whose commands wait for a decision does not go on where they would not be isolated any more', async () => {
  verifies('cli.runs.show');
  const folder = mkdtempSync(join(tmpdir(), 'recorded-'));
  const path = join(folder, 'runs.db');
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const surroundings = { signal: new AbortController().signal, output: { note: () => undefined } };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- of the output only its notes are used
  const recorded = await openRecordedSession(path, createMemorySession(), surroundings as never);
  onTestFinished(() => recorded.close());
  const command = bindTool(
    { name: 'run_command', description: 'Runs.', parameters: { type: 'object' }, effect: 'external' },
    () => 'ran',
  );
  const provider = scriptedProvider([{ calls: [{ name: 'run_command', id: 'c1', arguments: {} }] }, { text: 'Done.' }]);
  const options = {
    provider,
    model: 'm',
    tools: createRegistry([command]),
    approve: (): ApprovalDecision => ({ decision: 'later' }),
  } as const;
  const setting = { folder: '/a', timeoutMs: 1000, isolation: 'bubblewrap' };
  const end = async (commands: CommandSetting, given: readonly Message[] = []): Promise<string | undefined> => {
    let reason: string | undefined;
    for await (const event of recorded.run(options, given, commands))
      if (event.type === 'run-end') reason = event.reason;
    return reason;
  };
  expect(await end(setting, messages)).toBe('approval');
  await expect(end({ ...setting, isolation: null })).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  await expect(end({ ...setting, folder: '/b' })).rejects.toThrow('its commands run in /a, isolated: bubblewrap');
  const db = openDurable(path);
  onTestFinished(() => db.close());
  const [run] = await db.list();
  await db.decide(run?.id ?? '', 'c1', { decision: 'allow' });
  await expect(end({ ...setting, isolation: null })).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  expect(await end({ ...setting, isolation: 'docker' })).toBe('done');
});
