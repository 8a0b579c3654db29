import type { Message, ProviderEvent, Tool } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { describe, expect, test } from 'vitest';
import { all, withServer } from '../support.ts';
import { WIRES, withWire } from '../wires.ts';

const HALF = 'half \ud83d';
const TOOL: Tool = {
  name: 'a',
  description: HALF,
  parameters: { type: 'object', properties: { x: { type: 'string', description: HALF } } },
};
const MESSAGES: readonly Message[] = [
  { role: 'system', content: HALF },
  { role: 'user', content: HALF },
  {
    role: 'assistant',
    content: [
      { type: 'text', text: HALF },
      { type: 'tool-call', id: '1', name: 'a', arguments: String.raw`{"x":"\ud83d"}` },
    ],
  },
  { role: 'tool', toolCallId: '1', name: 'a', content: `${HALF} \\ud83d` },
  { role: 'user', content: [{ type: 'text', text: HALF }] },
];

test.each(WIRES.map(([wire]) => wire))('a request of %s has no half of a surrogate pair', async (wire) => {
  verifies('text.wellFormed');
  await withWire(wire, { replies: [{ text: 'ok' }] }, async ({ provider, server }) => {
    const options = { temperature: 0.5 };
    const responseFormat = { name: 'x', schema: { type: 'object', description: HALF } } as const;
    await all(provider.stream({ model: 'test-model', messages: MESSAGES, tools: [TOOL], options, responseFormat }));
    const body = Buffer.from(server.requests[0]?.bytes ?? []).toString('utf8');
    expect(body.replaceAll(/\\\\/g, '')).not.toMatch(/\\ud[89a-f]/i);
    expect(body).toContain(String.raw`half \ufffd`);
    expect(body).toContain(String.raw`half \ufffd \\ud83d`);
  });
});

describe('a character that a vendor cuts in two', () => {
  const chunk = (content: string): string => `data: {"choices":[{"index":0,"delta":{"content":"${content}"}}]}\n\n`;
  const reply = (...pieces: readonly string[]) => ({
    chunks: [
      ...pieces.map(chunk),
      'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n',
    ],
  });

  test.each([
    ['in the middle', [String.raw`a \ud83d`, String.raw`\ude00 b`], ['a ', '😀 b'], 'a 😀 b'],
    ['alone', [String.raw`\ud83d`, String.raw`\ude00`], ['😀'], '😀'],
    ['without its end', [String.raw`a \ud83d`, 'b'], ['a ', '\uFFFDb'], 'a \uFFFDb'],
    ['at the end', [String.raw`a \ud83d`], ['a ', '\uFFFD'], 'a \uFFFD'],
    ['without its beginning', [String.raw`\ude00 b`], ['\uFFFD b'], '\uFFFD b'],
  ])('is one in the deltas and in the message: %s', async (_, pieces, deltas, text) => {
    verifies('text.wellFormed');
    await withServer([reply(...pieces)], async ({ provider }) => {
      const events: readonly ProviderEvent[] = await all(
        provider.stream({ model: 'm', messages: [{ role: 'user', content: 'x' }] }),
      );
      expect(events.flatMap((event) => (event.type === 'text-delta' ? [event.text] : []))).toEqual(deltas);
      expect(events.at(-1)).toMatchObject({ message: { content: [{ type: 'text', text }] } });
    });
  });
});
