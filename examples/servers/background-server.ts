import { startWireServer, type WireServer } from '@kernel/testing';

const response = { id: 'resp_1', object: 'response', model: 'gpt-5.6', status: 'in_progress', output: [] };
const message = {
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  content: [{ type: 'output_text', text: 'The proof takes nine pages.', annotations: [] }],
};
const delta = (text: string) => ({ type: 'response.output_text.delta', output_index: 0, delta: text });
const events = [
  { type: 'response.created', response },
  delta('The proof '),
  delta('takes nine pages.'),
  { type: 'response.completed', response: { ...response, status: 'completed', output: [message] } },
].map((event, at) => `data: ${JSON.stringify({ ...event, sequence_number: at })}\n\n`);

/** Stands in for OpenAI's Responses API: its first connection breaks in the middle of the reply, the next one has the rest. */
export function startBackgroundServer(): Promise<WireServer> {
  return startWireServer({
    wire: 'openai-responses',
    replies: ({ path }) => {
      const [, after] = /starting_after=(\d+)/.exec(path) ?? [];
      if (after === undefined)
        return { chunks: events, fault: { resetAfter: events.slice(0, 2).join('').length + 20 } };
      return { chunks: events.slice(Number(after) + 1) };
    },
  });
}
