import { type RawReply, verifies } from '@kernel/testing';
import { describe, expect, test } from 'vitest';
import { until } from '../support.ts';
import { line, withResults } from './batches.support.ts';

describe('results', () => {
  test('a reader that stalls is not run ahead of, and one that leaves closes the connection', async () => {
    verifies('providers.batches.lines');
    let written = 0;
    const all = 4000;
    function* lines(): Generator<string> {
      for (; written < all; written += 1) yield `${line(written).padEnd(64 * 1024)}\n`;
    }
    const results: RawReply = { chunks: { [Symbol.iterator]: lines } as never };
    await withResults(
      results,
      async (batches, server) => {
        for await (const { id } of batches.results('b')) {
          if (id !== 'id-3') continue;
          for (let before = -1; before !== written;) {
            before = written;
            await new Promise((resolve) => setTimeout(resolve, 50));
          }
          break;
        }
        expect(written).toBeLessThan(all / 4);
        await until(() => server.connections.open === 0, 60_000);
      },
      { responseBytes: Infinity },
    );
  });
});
