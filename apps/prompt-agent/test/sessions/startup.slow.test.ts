import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { prompt, workspace } from '../program.ts';

const COUNTER = new URL('../fixtures/count-blocks.ts', import.meta.url).href;

test('keeping a run adds a small part to the work of a short answer', async () => {
  verifies('cli.sessions.startup');
  const cwd = workspace({ 'a.txt': 'x' });
  const blocksOf = async (...flags: readonly string[]): Promise<number> => {
    // Code of the compile cache counts no blocks.
    const env = { NODE_OPTIONS: `--import=${COUNTER}`, NODE_DISABLE_COMPILE_CACHE: '1' };
    const { code, stderr } = await prompt([...flags, '2+3'], { cwd, env });
    expect(code).toBe(0);
    return Number(/^Blocks: (\d+)$/m.exec(stderr)?.[1]);
  };
  await blocksOf();
  const [kept, plain] = [await blocksOf(), await blocksOf('--no-session')];
  expect(plain).toBeGreaterThan(10_000);
  expect(kept / plain).toBeLessThan(1.3);
});
