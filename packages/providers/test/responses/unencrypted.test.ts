import type { Message } from '@kernel/protocol';
import { expect, test } from 'vitest';
import { sentOver } from '../sent.ts';

const reply = (item: object): readonly Message[] => [
  { role: 'user', content: 'go' },
  {
    role: 'assistant',
    content: [
      { type: 'reasoning', text: '', providerData: { type: 'reasoning', id: 'rs_1', summary: [], ...item } },
      { type: 'tool-call', id: 'call_1', name: 'look', arguments: '{}' },
    ],
    provider: { vendor: 'openai-responses', model: 'prod-reasoner' },
  },
  { role: 'tool', toolCallId: 'call_1', name: 'look', content: 'found' },
];
const kinds = ({ body }: { body: Readonly<Record<string, unknown>> }) =>
  (body['input'] as { type?: string }[]).map(({ type }) => type ?? 'message');
const model = 'prod-reasoner';

test('a thought that a vendor did not keep is not asked for by its id, and the next ones can go back', async () => {
  for (const item of [{}, { encrypted_content: null }, { encrypted_content: '' }]) {
    const sent = await sentOver('openai-responses', { model, messages: reply(item) });
    expect(kinds(sent)).toEqual(['message', 'function_call', 'function_call_output']);
    expect(sent.body['include']).toEqual(['reasoning.encrypted_content']);
  }
});

test('a thought goes back if it is encrypted, whole, or kept by the vendor', async () => {
  const whole = { content: [{ type: 'reasoning_text', text: 'Hm.' }] };
  for (const item of [{ encrypted_content: 'e' }, whole])
    expect(kinds(await sentOver('openai-responses', { model, messages: reply(item) }))).toContain('reasoning');
  const stored = { model, messages: reply({}), options: { store: true } };
  expect(kinds(await sentOver('openai-responses', stored))).toContain('reasoning');
});
