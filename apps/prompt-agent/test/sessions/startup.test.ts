import { fileURLToPath } from 'node:url';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { prompt, workspace } from '../program.ts';

const CPU_TIME = fileURLToPath(new URL('../fixtures/cpu-time.ts', import.meta.url));
const ROUNDS = 9;

test('to keep a run costs a small part of what a short answer costs', async () => {
  verifies('cli.sessions.startup');
  const cwd = workspace({ 'a.txt': 'x' });
  const timeOf = async (...flags: readonly string[]): Promise<number> => {
    const { code, stderr } = await prompt([...flags, '2+3'], { cwd, env: { NODE_OPTIONS: `--import=${CPU_TIME}` } });
    expect(code).toBe(0);
    return Number(/^CPU time: ([\d.]+) ms$/m.exec(stderr)?.[1]);
  };
  await timeOf();
  const ratios: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) ratios.push((await timeOf()) / (await timeOf('--no-session')));
  // Measured: 1.06. The median is moved neither by a round that was disturbed nor by one that was lucky.
  expect(ratios.toSorted((a, b) => a - b)[Math.floor(ROUNDS / 2)]).toBeLessThan(1.3);
});
