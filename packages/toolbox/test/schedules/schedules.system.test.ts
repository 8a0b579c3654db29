import { fork } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import { openStore, storePath } from './support.ts';

const START = Date.parse('2026-03-28T12:00:00Z');

describe('runSchedules', () => {
  it('no time runs twice, and none is lost, when processes are killed', async () => {
    const file = await storePath();
    const store = openStore(file);
    // Every second of a past that each process makes up for.
    const { id } = store.add('often', { cron: '* * * * *', timeZone: 'UTC' }, {}, START);
    const program = new URL('killed-scheduler.ts', import.meta.url);
    for (let round = 0; round < 6; round += 1) {
      const child = fork(program, [file, String(START + (round + 1) * 10 * 60_000)], {
        execArgv: ['--conditions=@kernel/source', '--disable-warning=ExperimentalWarning'],
        stdio: 'ignore',
      });
      await once(child, 'message');
      // In the middle of its runs.
      await new Promise((resolve) => setTimeout(resolve, round * 7));
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    const runs = store.runs(1000);
    expect(new Set(runs.map((run) => run.dueMs)).size).toBe(runs.length);
    const next = store.list()[0]?.nextMs ?? 0;
    const expected = (next - START) / 60_000 - 1;
    expect(runs.filter((run) => run.scheduleId === id)).toHaveLength(expected);
    expect(expected).toBeGreaterThan(9);
  });
});

vi.setConfig({ testTimeout: 240_000 });
