import { type RawReply, startWireServer, verifies, type WireServer } from '@kernel/testing';
import { describe, expect, test } from 'vitest';
import { createBatches } from '../../src/batches/index.ts';
import { until } from '../support.ts';
import { transport } from '../transport.ts';

function reply(body: unknown, status = 200): RawReply {
  return {
    status,
    headers: { 'content-type': 'application/json' },
    chunks: [typeof body === 'string' ? body : JSON.stringify(body)],
  };
}
const claude = (id: string, result: string) => `{"custom_id":"${id}","result":${result}}`;
const claudeMessage = (content: string) =>
  `{"type":"succeeded","message":{"id":"m","type":"message","role":"assistant","model":"c","content":[${content}],"stop_reason":"end_turn","usage":{"input_tokens":3,"output_tokens":2}}}`;

describe('results', () => {
  const ended = reply({ id: 'b', processing_status: 'ended' });
  const line = (at: number) => claude(`id-${at}`, claudeMessage(`{"type":"text","text":"${at}"}`));

  async function withResults(
    results: RawReply,
    work: (batches: ReturnType<typeof createBatches>, server: WireServer) => Promise<void>,
    limits = {},
  ) {
    const server = await startWireServer({ replies: [ended, results] });
    try {
      await work(createBatches({ name: 'anthropic', baseUrl: server.url, token: 'k', limits, ...transport }), server);
    } finally {
      await server.close();
    }
  }

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
