import { verifies } from '@kernel/testing';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { NEAR_MISSES, NEWCOMER } from './newcomer-prompts.ts';
import { promptHere, workspace } from './program.ts';

let cwd = '';
beforeAll(() => {
  // Midnight may not come between a file and the question what changed today.
  vi.useFakeTimers({ toFake: ['Date'], now: new Date().setHours(12) });
  cwd = workspace({
    'package.json': '{ "name": "demo", "version": "1.2.3", "license": "MIT" }\n',
    'notes.md': '# Notes\nsecond line\nTODO: buy milk\n',
    'README.md': '# Demo\nHello\n',
    'src/index.ts': 'export const answer = 42;\n',
    'src/deep/other.ts': "import { answer } from '../index.ts';\n",
  });
});
afterAll(() => void vi.useRealTimers());

async function ask(text: string): Promise<{ readonly code: number | null; readonly answer: string }> {
  // A session would be a file in the folder that is asked about.
  const args = ['--no-session', '--provider', 'offline', '--', text];
  const { code, stdout } = await promptHere(args, { cwd });
  return { code, answer: stdout.trimEnd() };
}

test('of forty prompts of a newcomer at least 34 are answered', async () => {
  verifies('cli.offline.newcomer');
  const refused: string[] = [];
  for (const [prompt] of NEWCOMER) {
    const { answer } = await ask(prompt);
    if (answer === '') refused.push(prompt);
  }
  console.log(`refused: ${refused.join(', ')}`);
  expect(NEWCOMER).toHaveLength(40);
  expect(refused.length).toBeLessThanOrEqual(6);
});

test.each([...NEWCOMER, ...NEAR_MISSES])('right or refused: %s', async (prompt, right) => {
  verifies('cli.offline.newcomer');
  const { code, answer } = await ask(prompt);
  const verdict = code === 0 ? (right.test(answer) ? 'right' : 'wrong') : answer === '' ? 'refused' : 'a half';
  expect([verdict, answer]).not.toEqual([expect.stringMatching(/wrong|half/), answer]);
});
