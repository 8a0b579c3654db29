import { openScheduleStore, runSchedules } from '../../src/schedules/index.ts';
import { keepCompiled } from '../../../../test/setup/keep-compiled.ts';

keepCompiled();

// Runs schedules at a thousand times the speed of the clock, so that a pause of 40 ms outlasts a lease.
const [, , file = '', nowText = '0', startedText = '0'] = process.argv;
const SPEED = 1000;
const clock = {
  now: () => Number(nowText) + (Date.now() - Number(startedText)) * SPEED,
  wait: (ms: number, signal: AbortSignal) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, Math.ceil(ms / SPEED));
      signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true });
    }),
};
await runSchedules({
  store: openScheduleStore(file),
  missed: 'all',
  repeatUnfinished: false,
  parallel: 2,
  clock,
  signal: new AbortController().signal,
  run: async ({ id }) => {
    process.send?.(id);
    await new Promise((resolve) => setTimeout(resolve, 25));
    return 'done';
  },
});
