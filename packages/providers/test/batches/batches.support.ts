import { type RawReply, startWireServer, type WireServer } from '@kernel/testing';
import { createBatches } from '../../src/batches/index.ts';
import { transport } from '../transport.ts';

/** A reply of JSON. */
export function reply(body: unknown, status = 200): RawReply {
  return {
    status,
    headers: { 'content-type': 'application/json' },
    chunks: [typeof body === 'string' ? body : JSON.stringify(body)],
  };
}

/** A result as Anthropic gives it. */
export const claude = (id: string, result: string) => `{"custom_id":"${id}","result":${result}}`;
export const claudeMessage = (content: string) =>
  `{"type":"succeeded","message":{"id":"m","type":"message","role":"assistant","model":"c","content":[${content}],"stop_reason":"end_turn","usage":{"input_tokens":3,"output_tokens":2}}}`;

export const ended = reply({ id: 'b', processing_status: 'ended' });
export const line = (at: number) => claude(`id-${at}`, claudeMessage(`{"type":"text","text":"${at}"}`));

/** Gives `work` batches whose results are this reply. */
export async function withResults(
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
