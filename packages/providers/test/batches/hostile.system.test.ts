/* oxlint-disable no-await-in-loop -- one after another */
import type { KernelError } from '@kernel/protocol';
import { type RawReply, verifies } from '@kernel/testing';
import { describe, expect, test } from 'vitest';
import { ended, line, requests, withBatches } from './hostile.support.ts';

describe('what a vendor answers', () => {
  test('an abort in the middle of results ends them with its reason', async () => {
    verifies('providers.batches.abort');
    const stalled: RawReply = { chunks: [line('a'), line('b')], fault: { stallAfter: line('a').length + 5 } };
    await withBatches('anthropic', [ended, stalled], async (batches) => {
      const controller = new AbortController();
      const seen: string[] = [];
      let error: KernelError | undefined;
      try {
        for await (const { id } of batches.results('b', { requests, signal: controller.signal })) {
          seen.push(id);
          setTimeout(() => controller.abort(new Error('enough')), 20);
        }
      } catch (thrown) {
        error = thrown as KernelError;
      }
      expect([seen, error?.message]).toEqual([['a'], 'enough']);
    });
  });
});
