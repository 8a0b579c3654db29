/* oxlint-disable no-await-in-loop -- one after another */
import type { KernelError } from '@kernel/protocol';
import { type RawReply, startWireServer, verifies, type WireServer } from '@kernel/testing';
import { describe, expect, test } from 'vitest';
import { type BatchRequest, type Batches, createBatches } from '../../src/batches/index.ts';
import { transport } from '../transport.ts';

const json = (body: unknown): RawReply => ({
  headers: { 'content-type': 'application/json' },
  chunks: [typeof body === 'string' ? body : JSON.stringify(body)],
});
const requests = ['a', 'b', 'c'].map((id): BatchRequest => ({
  id,
  model: 'm',
  messages: [{ role: 'user', content: 'Hi' }],
}));
const VENDORS = ['openai', 'openai-responses', 'anthropic', 'gemini'] as const;
const ended = json({ id: 'b', processing_status: 'ended' });
const line = (id: string, text = id) =>
  `{"custom_id":"${id}","result":{"type":"succeeded","message":{"type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"${text}"}],"stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":1}}}}\n`;

async function withBatches(
  name: (typeof VENDORS)[number],
  replies: readonly RawReply[],
  work: (batches: Batches, server: WireServer) => Promise<void>,
): Promise<void> {
  const server = await startWireServer({ replies });
  try {
    const baseUrl = name.startsWith('openai') ? server.baseUrl : server.url;
    await work(createBatches({ name, baseUrl, token: 'sk-secret-key', ...transport }), server);
  } finally {
    await server.close();
  }
}

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
