import { type Message, type Provider, textOf } from '@kernel/protocol';
import { scriptedProvider, verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { collect, estimateTokens, run, withCompaction } from '../../src/index.ts';
import { expectSound, user } from '../support.ts';

const maxTokens = 2000;
const said = (text: string): Message => ({ role: 'assistant', content: [{ type: 'text', text }] });
const read = (content: string): Message[] => [
  user('Read it.'),
  { role: 'assistant', content: [{ type: 'tool-call', id: '1', name: 'read', arguments: '{}' }] },
  { role: 'tool', toolCallId: '1', name: 'read', content },
];

async function answered(messages: readonly Message[]): Promise<readonly (readonly Message[])[]> {
  const inner = scriptedProvider([{ text: 'fine '.repeat(1000) }], { repeat: true });
  const provider: Provider = withCompaction(inner, { maxTokens });
  expect(await collect(run({ provider, model: 'm', messages }))).toMatchObject({ reason: 'done' });
  return inner.streamRequests.map((request) => request.messages);
}

test.each<[string, Message[]]>([
  [
    'many prompts and answers',
    Array.from({ length: 40 }, (_, at) => (at % 2 ? said('a'.repeat(4000)) : user('q'.repeat(4000)))),
  ],
  [
    'another script',
    Array.from({ length: 20 }, (_, at) => (at % 2 ? said('答'.repeat(4000)) : user('問'.repeat(4000)))),
  ],
  ['one answer that is longer than the window', [user('Go'), said('a'.repeat(80_000))]],
  ['one huge result in the middle', [...read('x'.repeat(200_000)), said('Read.')]],
])('a session far beyond the window is brought back: every request fits it, with %s', async (_, before) => {
  verifies('agent.compaction.fits');
  for (const messages of await answered([...before, user('And now?')])) {
    expect(messages.reduce((size, message) => size + estimateTokens(message), 0)).toBeLessThanOrEqual(maxTokens * 1.1);
    expectSound(messages);
  }
});

test('a huge last result is cut in the request, with a line that says so, and the history stays whole', async () => {
  verifies('agent.compaction.fits');
  const messages = read(`begin ${'x'.repeat(100_000)} end`);
  const sent = (await answered(messages)).at(-1) ?? [];
  const text = textOf(sent.at(-1) as Message);
  expect(text).toMatch(/^begin x+\n\[\d+ characters were left out here: .*\]\nx+ end$/);
  expect(textOf(messages[2] as Message)).toHaveLength(100_010);
});

test('a prompt that is longer than the window is cut likewise, and results beside one another share the room', async () => {
  verifies('agent.compaction.fits');
  const [prompt] = (await answered([user('p'.repeat(100_000))])).at(-1) ?? [];
  expect(prompt && textOf(prompt)).toContain('characters were left out here');
  const calls = ['1', '2', '3'].map((id) => ({ type: 'tool-call' as const, id, name: 'read', arguments: '{}' }));
  const results = calls.map(({ id }): Message => ({
    role: 'tool',
    toolCallId: id,
    name: 'read',
    content: 'x'.repeat(50_000),
  }));
  const sent = (await answered([user('Go'), { role: 'assistant', content: calls }, ...results])).at(-1) ?? [];
  expect(sent.reduce((size, message) => size + estimateTokens(message), 0)).toBeLessThanOrEqual(maxTokens);
});
