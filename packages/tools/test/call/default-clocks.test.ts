import { verifies } from '@kernel/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createCapabilities } from '../../src/capabilities.ts';
import { createRegistry } from '../../src/index.ts';
import { simple } from '../support.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

/** Says whether the promise settles exactly when `ms` have passed, and not one millisecond before. */
async function settlesAfter(ms: number, work: Promise<unknown>): Promise<readonly boolean[]> {
  let hasSettled = false;
  void work.finally(() => (hasSettled = true));
  await vi.advanceTimersByTimeAsync(ms - 1);
  const before = hasSettled;
  await vi.advanceTimersByTimeAsync(1);
  return [before, hasSettled];
}

test('without any option the check of a capability ends after 5 seconds, and not before', async () => {
  verifies('tools.clocks.defaults');
  const capabilities = createCapabilities({ checks: [() => new Promise<boolean>(() => {})] });
  const present = capabilities.has('git');
  expect(await settlesAfter(5_000, present)).toEqual([false, true]);
  expect(await present).toBe(false);
});

test('without any option a capability is cached for 60 seconds, and not longer', async () => {
  verifies('tools.clocks.defaults');
  let checks = 0;
  const capabilities = createCapabilities({ checks: [() => (checks += 1) > 0] });
  const checksAfter = async (ms: number): Promise<number> => {
    await vi.advanceTimersByTimeAsync(ms);
    await capabilities.has('git');
    return checks;
  };
  expect([await checksAfter(0), await checksAfter(59_999), await checksAfter(1)]).toEqual([1, 1, 2]);
});

test('a condition that never settles delays a turn for 10 seconds, and not longer', async () => {
  verifies('tools.clocks.defaults');
  const metadata = { optionality: 'conditional' } as const;
  const when = (): Promise<boolean> => new Promise(() => {});
  const registry = createRegistry([simple('stuck', { metadata }, () => 'x', { when })]);
  const turn = registry.listFor({ turn: 1, signal: new AbortController().signal });
  expect(await settlesAfter(10_000, Promise.resolve(turn))).toEqual([false, true]);
  expect(registry.list()).toEqual([]);
});

test('a mounted toolset whose tools of a turn never come delays it for 10 seconds, and not longer', async () => {
  verifies('tools.clocks.defaults');
  const registry = createRegistry();
  const listFor = (): Promise<never> => new Promise(() => {});
  registry.mount('m', { ...createRegistry([simple('a')]), listFor });
  const turn = registry.listFor({ turn: 1, signal: new AbortController().signal });
  expect(await settlesAfter(10_000, Promise.resolve(turn))).toEqual([false, true]);
  expect(registry.names()).toEqual(['m_a']);
});
