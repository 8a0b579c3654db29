import { type RawReply, startWireServer, type WireServer } from '@kernel/testing';
import { type BatchRequest, type Batches, createBatches } from '../../src/batches/index.ts';
import { transport } from '../transport.ts';

/** A reply of JSON. */
export const json = (body: unknown): RawReply => ({
  headers: { 'content-type': 'application/json' },
  chunks: [typeof body === 'string' ? body : JSON.stringify(body)],
});
export const requests = ['a', 'b', 'c'].map((id): BatchRequest => ({
  id,
  model: 'm',
  messages: [{ role: 'user', content: 'Hi' }],
}));
export const VENDORS = ['openai', 'openai-responses', 'anthropic', 'gemini'] as const;
export const ended = json({ id: 'b', processing_status: 'ended' });
/** A line of results. */
export const line = (id: string, text = id) =>
  `{"custom_id":"${id}","result":{"type":"succeeded","message":{"type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"${text}"}],"stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":1}}}}\n`;

/** Gives `work` the batches of a vendor whose server answers with these replies. */
export async function withBatches(
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
