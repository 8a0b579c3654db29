import type { AssistantMessage, Citation, ProviderEvent } from '@kernel/protocol';
import { type RawReply, toEventStreamFrame, verifies, type WireName } from '@kernel/testing';
import { describe, expect, test } from 'vitest';
import { all, chunk, request, sse } from '../support.ts';
import { WIRES, withWire } from '../wires.ts';

const url = 'https://a.test/page';
const text = 'Zürich is big.';
const annotation = { type: 'url_citation', start_index: 0, end_index: 6, url, title: 'A' };
const claudeCitation = {
  type: 'web_search_result_location',
  cited_text: 'It is big.',
  url,
  title: 'A',
  encrypted_index: 'x',
};
const outputText = { type: 'output_text', text, annotations: [annotation] };
const message = { type: 'message', id: 'm', role: 'assistant', content: [outputText] };

const REPLIES: readonly (readonly [string, WireName, RawReply, readonly Citation[]])[] = [
  [
    'the deltas of Messages',
    'anthropic',
    {
      chunks: [
        sse(
          { type: 'message_start', message: {} },
          { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '', citations: [] } },
          { type: 'content_block_delta', index: 0, delta: { type: 'citations_delta', citation: claudeCitation } },
          { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } },
          { type: 'content_block_stop', index: 0 },
          { type: 'message_delta', delta: { stop_reason: 'end_turn' } },
          { type: 'message_stop' },
        ),
      ],
    },
    [{ url, title: 'A', quote: 'It is big.' }],
  ],
  [
    'a document of Messages',
    'anthropic',
    {
      chunks: [
        JSON.stringify({
          type: 'message',
          content: [
            {
              type: 'text',
              text,
              citations: [
                {
                  type: 'char_location',
                  cited_text: 'big',
                  document_index: 0,
                  document_title: 'D',
                  start_char_index: 1,
                },
              ],
            },
          ],
          stop_reason: 'end_turn',
        }),
      ],
    },
    [{ title: 'D', document: '0', quote: 'big' }],
  ],
  [
    'the events of Responses',
    'openai-responses',
    {
      chunks: [
        sse(
          { type: 'response.output_text.delta', output_index: 0, delta: text },
          { type: 'response.output_text.annotation.added', output_index: 0, annotation },
          { type: 'response.output_item.done', output_index: 0, item: message },
          { type: 'response.completed', response: { status: 'completed', output: [message] } },
        ),
      ],
    },
    [{ url, title: 'A', span: { start: 0, end: 6 } }],
  ],
  [
    'a whole response',
    'openai-responses',
    { chunks: [JSON.stringify({ status: 'completed', output: [message] })] },
    [{ url, title: 'A', span: { start: 0, end: 6 } }],
  ],
  [
    'the grounding of Gemini, in bytes',
    'gemini',
    {
      chunks: [
        sse({
          candidates: [
            {
              content: { parts: [{ text }] },
              finishReason: 'STOP',
              groundingMetadata: {
                webSearchQueries: ['zurich'],
                groundingChunks: [{ web: { uri: url, title: 'A' } }],
                groundingSupports: [{ segment: { startIndex: 0, endIndex: 7 }, groundingChunkIndices: [0, 9] }],
              },
            },
          ],
        }),
      ],
    },
    [{ url, title: 'A', span: { start: 0, end: 6 } }],
  ],
  [
    'the frames of Converse',
    'bedrock',
    {
      headers: { 'content-type': 'application/vnd.amazon.eventstream' },
      chunks: [
        toEventStreamFrame('contentBlockDelta', { contentBlockIndex: 0, delta: { text } }),
        toEventStreamFrame('contentBlockDelta', {
          contentBlockIndex: 0,
          delta: { citation: { title: 'A', sourceContent: [{ text: 'big' }], location: { web: { url } } } },
        }),
        toEventStreamFrame('contentBlockStop', { contentBlockIndex: 0 }),
        toEventStreamFrame('messageStop', { stopReason: 'end_turn' }),
      ],
    },
    [{ url, title: 'A', quote: 'big' }],
  ],
  [
    'the annotations of chat completions',
    'openai',
    {
      chunks: [
        sse(
          chunk({ content: text }),
          chunk(
            {
              annotations: [{ type: 'url_citation', url_citation: { start_index: 0, end_index: 6, url, title: 'A' } }],
            },
            'stop',
          ),
          '[DONE]',
        ),
      ],
    },
    [{ url, title: 'A', span: { start: 0, end: 6 } }],
  ],
  [
    'the search results beside a completion',
    'openai',
    {
      chunks: [
        JSON.stringify({
          citations: [url],
          search_results: [{ url, title: 'A', snippet: 'big' }],
          choices: [{ index: 0, message: { content: text }, finish_reason: 'stop' }],
        }),
      ],
    },
    [{ url, title: 'A', quote: 'big' }],
  ],
];

async function read(
  wire: WireName,
  reply: RawReply,
): Promise<{ events: readonly ProviderEvent[]; message: AssistantMessage }> {
  let events: readonly ProviderEvent[] = [];
  await withWire(wire, { replies: [reply] }, async ({ provider }) => {
    events = await all(provider.stream(request()));
  });
  const end = events.at(-1);
  if (end?.type !== 'message-end') throw new Error('The last event is no message-end.');
  return { events, message: end.message };
}

describe.each(REPLIES)('the sources in %s', (_name, wire, reply, citations) => {
  test('are annotations of their text, and events', async () => {
    verifies('providers.citations');
    const { events, message: read_ } = await read(wire, reply);
    expect(read_.content.find((part) => part.type === 'text')).toMatchObject({ text, citations });
    expect(events.flatMap((event) => (event.type === 'citation' ? [event.citation] : []))).toEqual(citations);
  });

  test('go back unchanged to their own vendor where it takes them, and to no other', async () => {
    verifies('providers.citations');
    const { message: received } = await read(wire, reply);
    const kept = received.content.find((part) => part.type === 'text')?.providerData as
      | { citations: readonly object[] }
      | undefined;
    for (const [other] of WIRES) {
      // oxlint-disable-next-line no-await-in-loop -- one server at a time
      await withWire(other, { replies: [{ text: 'ok' }], strict: false }, async ({ provider, server }) => {
        await all(provider.stream(request({ messages: [...request().messages, received, ...request().messages] })));
        const body = Buffer.from(server.requests[0]?.bytes ?? []).toString('utf8');
        expect(body).toContain(JSON.stringify(text).slice(1, -1));
        const goesBack = kept !== undefined && body.includes(JSON.stringify(kept.citations));
        expect(goesBack).toBe(kept !== undefined && other === wire);
      });
    }
  });
});

test('what another vendor ran becomes text, with what it found', async () => {
  verifies('providers.serverTools.foreign');
  const foreign: AssistantMessage = {
    role: 'assistant',
    content: [
      {
        type: 'server-tool-call',
        id: 's',
        name: 'web_search',
        arguments: '{"query":"x"}',
        providerData: { secret: 1 },
      },
      {
        type: 'server-tool-result',
        callId: 's',
        name: 'web_search',
        text: '',
        sources: [{ url, title: 'A' }],
        providerData: { secret: 2 },
      },
      { type: 'text', text: 'Found.' },
    ],
    provider: { vendor: 'elsewhere', model: 'm' },
  };
  for (const [wire] of WIRES) {
    // oxlint-disable-next-line no-await-in-loop -- one server at a time
    await withWire(wire, { replies: [{ text: 'ok' }], strict: false }, async ({ provider, server }) => {
      await all(provider.stream(request({ messages: [...request().messages, foreign, ...request().messages] })));
      const body = Buffer.from(server.requests[0]?.bytes ?? []).toString('utf8');
      expect([wire, body]).toEqual([wire, expect.stringContaining('Ran web_search with')]);
      expect(body).toContain(`A – ${url}`);
      expect(body).not.toContain('secret');
    });
  }
});
