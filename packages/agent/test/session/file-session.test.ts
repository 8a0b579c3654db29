import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifies } from '@kernel/testing';
import { expect, onTestFinished, test } from 'vitest';
import type { SessionEntry } from '../../src/index.ts';
import { openFileSession } from '../../src/session/file-session.ts';
import { user } from '../support.ts';

const entry = (text: string): SessionEntry => ({ type: 'message', message: user(text) });

function sessionPath(): string {
  const folder = mkdtempSync(join(tmpdir(), 'session-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, 'a.jsonl');
}

test.each([{ fsync: false }, { fsync: true }])(
  'what was appended is there after reopening, in a file of mode 0600: %o',
  async (options) => {
    const path = sessionPath();
    const session = await openFileSession(path, options);
    await Promise.all([session.append([entry('Grüße 🌍')]), session.append([entry('b'), entry('c')])]);
    await session.close();
    await session.close();
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(existsSync(`${path}.lock`)).toBe(false);
    const again = await openFileSession(path);
    expect(await again.entries()).toEqual([entry('Grüße 🌍'), entry('b'), entry('c')]);
    await again.close();
    await expect(again.append([entry('d')])).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  },
);

/** Where a header has begun that no other kind of file has. */
const HEADER_START = '{"session":1,"id":"';

test('a file cut at any byte after the beginning of its header opens with the whole lines, and goes on', async () => {
  const path = sessionPath();
  const session = await openFileSession(path);
  await session.append([entry('é'), entry('b')]);
  await session.close();
  const whole = readFileSync(path);
  for (const size of [0, ...Array.from(whole.keys(), (at) => at + 1).filter((at) => at >= HEADER_START.length)]) {
    writeFileSync(path, whole);
    truncateSync(path, size);
    const torn = await openFileSession(path);
    const before = await torn.entries();
    await torn.append([entry('next')]);
    await torn.close();
    const again = await openFileSession(path);
    expect(await again.entries()).toEqual([...before, entry('next')]);
    const read = before.filter(({ type }) => type !== 'lost');
    expect([[], [entry('é')], [entry('é'), entry('b')]]).toContainEqual(read);
    await again.close();
  }
});

test.each([
  ['another kind of file', 'hello\n', 'is not valid JSON'],
  ['JSON that is not a session', '{"a":1}\n', 'is not a session'],
  ['a newer version', '{"session":2}\n', 'version 2'],
  [
    'a broken line in the middle',
    '{"session":1}\n{"type":"mess\n{"type":"message","message":{"role":"user","content":"a"}}\n',
    ':2 is not valid JSON',
  ],
  ['a JSON file of one brace', '{', 'is not a session'],
  ['a header cut before its id', HEADER_START.slice(0, -1), 'is not a session'],
  ['an id that this program does not make', `${HEADER_START}Z`, 'is not a session'],
  ['a line that is not an entry', '{"session":1}\n{"type":"other"}\n', ':2 is not a session entry'],
])('%s is refused, not changed and not locked', async (_name, text, message) => {
  verifies('agent.session.foreign');
  const path = sessionPath();
  appendFileSync(path, text);
  await expect(openFileSession(path)).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: expect.stringContaining(message),
  });
  expect(readFileSync(path, 'utf8')).toBe(text);
  expect(existsSync(`${path}.lock`)).toBe(false);
});
