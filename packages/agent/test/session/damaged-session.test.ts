import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { toolCallsOf } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../../test/setup/temporary-folder.ts';
import { loadHistory, type SessionEntry } from '../../src/index.ts';
import { openFileSession } from '../../src/session/file-session.ts';
import type { SessionDamage } from '../../src/session/session-damage.ts';
import { user } from '../support.ts';

const entry = (text: string): SessionEntry => ({ type: 'message', message: user(text) });
const line = (text: string): string => `${JSON.stringify(entry(text))}\n`;
const HEADER = '{"session":1,"id":"3f9a2c1b-0000-4000-8000-000000000001"}\n';
const NULS = '\0'.repeat(300);

function sessionFile(content: string): string {
  return join(temporaryFolder('session', { 'a.jsonl': content }), 'a.jsonl');
}

/** Opens a session, and closes it. */
async function read(path: string) {
  const damages: SessionDamage[] = [];
  const session = await openFileSession(path, { onDamage: (damage) => void damages.push(damage) });
  const entries = await session.entries();
  await session.close();
  return { id: session.id, entries, damages };
}

describe('a session that a crash or an editor damaged', () => {
  test.each([
    ['300 NUL bytes in place of a line', `${HEADER}${line('a')}${NULS}\n${line('c')}`, [3], ['a', 'c']],
    [
      '300 NUL bytes, and then what was written after the crash',
      `${HEADER}${line('a')}${NULS}${line('c')}`,
      [3],
      ['a', 'c'],
    ],
    ['300 NUL bytes at its end', `${HEADER}${line('a')}${NULS}`, [3], ['a']],
    ['NUL bytes in place of all that it had', NULS, [1], []],
    ['300 NUL bytes before its header', `${NULS}${HEADER}${line('a')}`, [1], ['a']],
    ['300 NUL bytes in place of its header', `${NULS}\n${line('a')}`, [1], ['a']],
    ['half a line, and then whole ones', `${HEADER}${line('a').slice(0, 20)}\n${line('c')}`, [2], ['c']],
    ['two lines that ran into each other', `${HEADER}${line('a').trim()}${line('b')}${line('c')}`, [2], ['c']],
    [
      'marks of a merge',
      `${HEADER}<<<<<<< ours\n${line('a')}=======\n${line('b')}>>>>>>> theirs\n`,
      [2, 4, 6],
      ['a', 'b'],
    ],
    ['an empty line', `${HEADER}\n${line('a')}`, [2], ['a']],
    ['an entry of another program', `${HEADER}{"type":"other"}\n${line('a')}`, [2], ['a']],
  ])('has %s: it is refused, and with onDamage opens without what cannot be read', async (_, content, lines, texts) => {
    verifies('agent.session.damaged');
    const path = sessionFile(content);
    await expect(openFileSession(path)).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      hint: expect.stringContaining('onDamage'),
    });
    expect(readFileSync(path, 'utf8')).toBe(content);
    expect(readdirSync(dirname(path))).toEqual(['a.jsonl']);
    const opened = await read(path);
    expect(opened.entries.filter(({ type }) => type !== 'lost')).toEqual(texts.map(entry));
    expect(opened.entries).toContainEqual({ type: 'lost' });
    expect(opened.damages).toEqual([
      {
        lines,
        copy: expect.stringContaining('a.jsonl.damaged-'),
        message: expect.stringContaining(`line${lines.length > 1 ? 's' : ''} ${lines.join(', ')} could not be read`),
      },
    ]);
    const [{ copy } = { copy: '' }] = opened.damages;
    expect([readFileSync(copy, 'utf8'), statSync(copy).mode & 0o777]).toEqual([content, 0o600]);
    // It is whole from now on, with the same id.
    const again = await read(path);
    expect(again).toEqual({ ...opened, damages: [] });
  });

  test('has a byte order mark or the line ends of another system: nothing is lost, and it opens as it is', async () => {
    verifies('agent.session.damaged');
    const path = sessionFile(`\uFEFF${HEADER}${line('a')}\uFEFF${line('b')}`.replaceAll('\n', '\r\n'));
    const session = await openFileSession(path);
    expect([session.id, await session.entries()]).toEqual([
      '3f9a2c1b-0000-4000-8000-000000000001',
      [entry('a'), entry('b')],
    ]);
    await session.append([entry('c')]);
    await session.close();
    expect((await read(path)).entries).toEqual(['a', 'b', 'c'].map(entry));
  });

  test('has bytes that are not UTF-8: it opens, and whoever is told of damage is told of the line', async () => {
    verifies('agent.session.damaged');
    const path = sessionFile('');
    const content = Buffer.from(`${HEADER}${line('caf\u00E9!')}${line('b')}`, 'latin1');
    writeFileSync(path, content);
    const entries = [entry('caf\uFFFD!'), entry('b')];
    const untold = await openFileSession(path);
    expect(await untold.entries()).toEqual(entries);
    await untold.close();
    expect(readFileSync(path)).toEqual(content);
    const told = await read(path);
    expect(told.entries).toEqual(entries);
    expect(told.damages).toMatchObject([
      { lines: [2], message: expect.stringContaining('line 2 has bytes that are not UTF-8, which are U+FFFD in') },
    ]);
    expect(readFileSync(told.damages[0]?.copy ?? '')).toEqual(content);
    expect(await read(path)).toMatchObject({ entries, damages: [] });
  });

  test('keeps a last line that only lacks its end', async () => {
    verifies('agent.session.damaged');
    const path = sessionFile(`${HEADER}${line('a')}${line('b').trimEnd()}`);
    const session = await openFileSession(path);
    await session.append([entry('c')]);
    await session.close();
    expect(readdirSync(dirname(path))).toEqual(['a.jsonl']);
    expect(await read(path)).toMatchObject({ entries: ['a', 'b', 'c'].map(entry), damages: [] });
  });

  test('opens without a last line that was cut, which stays in a copy and is told to onDamage', async () => {
    verifies('agent.session.damaged');
    const content = `${HEADER}${line('a')}${line('b').slice(0, -5)}`;
    const path = sessionFile(content);
    const damaged = sessionFile(content);
    await (await openFileSession(path)).close();
    expect(readFileSync(path, 'utf8')).toBe(`${HEADER}${line('a')}{"type":"lost"}\n`);
    const copies = readdirSync(dirname(path)).filter((name) => name.includes('.damaged-'));
    expect(copies.map((name) => readFileSync(join(dirname(path), name), 'utf8'))).toEqual([content]);
    expect((await read(damaged)).damages).toMatchObject([{ lines: [3] }]);
  });

  test.each([
    ['no line that is of a session', `${NULS}\n{"a":1}\n`],
    ['a newer version', `{"session":2}\n${NULS}\n`],
    ['text', 'hello\nworld\n'],
  ])('is refused with onDamage, too, where the file has %s', async (_, content) => {
    verifies('agent.session.damaged');
    const path = sessionFile(content);
    await expect(read(path)).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    expect(readFileSync(path, 'utf8')).toBe(content);
    expect(readdirSync(dirname(path))).toEqual(['a.jsonl']);
  });

  test('does not run a call again that may have started in a line that is lost', async () => {
    verifies('agent.session.damaged');
    const call = { type: 'tool-call', id: 'c1', name: 'pay', arguments: '{}' } as const;
    const asked = JSON.stringify({ type: 'message', message: { role: 'assistant', content: [call] } });
    const waits = JSON.stringify({ type: 'suspended', calls: [{ callId: 'c1' }] });
    const history = async (content: string) => {
      const path = sessionFile(`${HEADER}${line('pay')}${content}`);
      const session = await openFileSession(path, { onDamage: () => undefined });
      try {
        return await loadHistory(session);
      } finally {
        await session.close();
      }
    };
    const lost = await history(`${asked}\n${waits}\n${NULS}\n`);
    expect(lost.at(-1)).toMatchObject({
      role: 'tool',
      toolCallId: 'c1',
      content: expect.stringContaining('OUTCOME_UNKNOWN'),
    });
    // One that is known to wait after the damage has not run.
    const waiting = (await history(`${asked}\n${NULS}\n${waits}\n`)).at(-1);
    expect(waiting?.role === 'assistant' && toolCallsOf(waiting)).toMatchObject([{ id: 'c1' }]);
  });
});
