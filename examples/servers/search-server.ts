import { startWireServer, type WireServer } from '@kernel/testing';

const url = 'https://news.test/monza';
const call = { type: 'server_tool_use', id: 'srv_1', name: 'web_search', input: { query: 'Monza race winner' } };
const result = {
  type: 'web_search_tool_result',
  tool_use_id: 'srv_1',
  content: [{ type: 'web_search_result', title: 'Race report', url, encrypted_content: 'x' }],
};
const citation = { type: 'web_search_result_location', url, title: 'Race report', cited_text: 'Ada won.' };
const answer = { type: 'text', text: 'Ada won the race.', citations: [citation] };

/** Stands in for Anthropic: searches the web once, then answers with a source. */
export function startSearchServer(): Promise<WireServer> {
  const blocks = [call, result, answer].flatMap((content_block, index) => [
    { type: 'content_block_start', index, content_block },
    { type: 'content_block_stop', index },
  ]);
  const usage = { output_tokens: 9, server_tool_use: { web_search_requests: 1 } };
  const events = [
    { type: 'message_start', message: { usage: { input_tokens: 30, output_tokens: 1 } } },
    ...blocks,
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage },
    { type: 'message_stop' },
  ];
  const chunks = events.map((event) => `data: ${JSON.stringify(event)}\n\n`);
  return startWireServer({ wire: 'anthropic', replies: [{ chunks }] });
}
