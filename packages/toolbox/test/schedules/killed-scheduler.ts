import { openScheduleStore, runSchedules } from '../../src/schedules/index.ts';
import { keepCompiled } from '../../../../test/setup/keep-compiled.ts';

keepCompiled();

const [, , file = '', nowText = '0'] = process.argv;
const startedMs = Date.now();
const clock = {
  now: () => Number(nowText) + Date.now() - startedMs,
  wait: (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, Math.min(ms, 10))),
};
const store = openScheduleStore(file);
await runSchedules({
  store,
  missed: 'all',
  clock,
  signal: new AbortController().signal,
  run: async ({ dueMs }) => {
    process.send?.(dueMs);
    await new Promise((resolve) => setTimeout(resolve, 5));
    return 'done';
  },
});
