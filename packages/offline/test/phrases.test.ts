import type { Message, Tool } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { offlineProvider, type ToolPhrase } from '../src/index.ts';

/** A tool, and the phrases that stand for it. */
interface Offer {
  readonly tool: Tool;
  readonly phrases: readonly ToolPhrase[];
}

const work = (phrases: readonly ToolPhrase[], more: Partial<Tool> = {}): Offer => ({
  tool: {
    name: 'work',
    description: 'Measures things.',
    effect: 'read',
    parameters: { type: 'object', properties: { a: {}, b: {}, text: { type: 'string' } } },
    ...more,
  },
  phrases,
});

async function ask(content: Extract<Message, { role: 'user' }>['content'], { tool, phrases }: Offer) {
  const calls: string[] = [];
  for await (const event of offlineProvider({ phrases: { work: phrases } }).stream({
    model: 'offline',
    messages: [{ role: 'user', content }],
    tools: [tool],
  }))
    if (event.type === 'message-end')
      for (const part of event.message.content) if (part.type === 'tool-call') calls.push(part.arguments);
  return calls;
}

const of = (text: string, input: ToolPhrase['input'] = { a: '{a}' }): Offer => work([{ text, input }]);
const refused = { code: 'PROVIDER_REFUSED' };

test.each([
  ['weigh {a}', 'Please weigh the big whale.', '{"a":"big whale"}'],
  ['weigh {a:number} (kilos|kilo)', 'can you weigh 3 kilos', '{"a":3}'],
  ['weigh {a:number} (kilos|)', 'weigh twenty', '{"a":20}'],
  ['weigh {a:number} %', 'weigh 1,200.5%', '{"a":1200.5}'],
  ['weigh {a:numbers}', 'weigh 1, 2, and 3', '{"a":"1, 2, 3"}'],
  ['weigh {a:numbers}', 'weigh 1,2,3', '{"a":"1, 2, 3"}'],
  ['weigh {a:path}', 'weigh src/a.ts', '{"a":"src/a.ts"}'],
  ['weigh {a:path}', 'weigh "my notes.md"', '{"a":"my notes.md"}'],
  ['weigh {a:day}', 'weigh 2026-01-01', '{"a":"2026-01-01"}'],
  ['weigh {a:duration}', 'weigh an hour', '{"a":"1 hour"}'],
  ['weigh {a:glob}', 'weigh src/*.ts', '{"a":"src/*.ts"}'],
  ['weigh {a:extension}', 'weigh .ts', '{"a":"*.ts"}'],
])('"%s" takes "%s"', async (text, prompt, input) => {
  verifies('offline.phrases');
  expect(await ask(prompt, of(text))).toEqual([input]);
});

test.each([
  ['weigh {a}', 'weigh'],
  ['weigh {a}', 'weigh whales not'],
  ['weigh {a}', 'weigh whales and sharks'],
  ['weigh {a}', 'weigh it'],
  ['weigh {a}', 'weigh one two three four five six'],
  ['weigh {a}', 'do not weigh whales'],
  ['weigh {a:number}', 'weigh 1,20'],
  ['weigh {a:number}', 'weigh 3kg'],
  ['weigh {a:numbers}', 'weigh 1,000 and 2'],
  ['weigh {a:numbers}', 'weigh 1'],
  ['weigh {a:numbers}', 'weigh 1, 2 and'],
  ['weigh {a:numbers}', 'weigh 1, 2 or 3'],
  ['weigh {a:path}', 'weigh whales'],
  ['weigh {a:path}', 'weigh src/*.ts'],
  ['weigh {a:duration}', 'weigh 3 fortnights'],
])('"%s" does not take "%s"', async (text, prompt) => {
  verifies('offline.phrases');
  await expect(ask(prompt, of(text))).rejects.toMatchObject(refused);
});

test('a phrase can hold a word that would turn another request', async () => {
  verifies('offline.phrases');
  expect(await ask('days until christmas', of('days until {a}'))).toEqual(['{"a":"christmas"}']);
  await expect(ask('days until christmas unless it rains', of('days until {a}'))).rejects.toMatchObject(refused);
});

test('values go into a text, and a value outside of the schema is refused', async () => {
  verifies('offline.phrases');
  const parameters = { type: 'object', properties: { a: { type: 'string', pattern: '^[0-9]+/[0-9]+$' } } };
  const share = work([{ text: 'share {x} of {y}', input: { a: '{x}/{y}' } }], { parameters });
  expect(await ask('share 3 of 4', share)).toEqual(['{"a":"3/4"}']);
  await expect(ask('share three of four', share)).rejects.toMatchObject(refused);
});

test('a tool with phrases and no examples is called by them alone, and an argument that only phrases fill by them alone', async () => {
  verifies('offline.phrases');
  const parameters = {
    type: 'object',
    properties: { city: { type: 'string' }, day: { type: 'string', format: 'date' } },
  };
  const phrases = [{ text: 'weather on {day:day}', input: { day: '{day}' } }];
  const weather = { description: 'Tells the weather in a city.', parameters };
  const examples = [{ description: 'Weather in Rome', input: { city: 'Rome' } }];
  await expect(ask('weather in Lisbon', work(phrases, weather))).rejects.toMatchObject(refused);
  const both = work(phrases, { ...weather, metadata: { examples } });
  expect(await ask('weather in Lisbon', both)).toEqual(['{"city":"Lisbon"}']);
  expect(await ask('weather on 2026-01-01', both)).toEqual(['{"day":"2026-01-01"}']);
  await expect(ask('weather in Lisbon tomorrow', both)).rejects.toMatchObject(refused);
});

test('what follows a phrase has to be a request of its own', async () => {
  verifies('offline.phrases');
  const count = of('(count|) {a:path}');
  expect(await ask('count a.md. Count b.md, thanks', count)).toEqual(['{"a":"a.md"}', '{"a":"b.md"}']);
  for (const prompt of [
    'count a.md and b.md',
    'count a.md and the first',
    'count a.md and its lines',
    'the first and count a.md',
  ])
    await expect(ask(prompt, count)).rejects.toMatchObject(refused);
});

test('a tool that changes something is called by no phrase', async () => {
  verifies('offline.phrases', 'offline.readOnly');
  const wipe = work([{ text: 'wipe {a:path}', input: { a: '{a}' } }], { effect: 'write' });
  await expect(ask('wipe a.md', wipe)).rejects.toMatchObject(refused);
});

const PHRASE = { text: 'weigh {a}', input: { a: '{a}' } };

test.each([
  ['has no such argument', { properties: { b: { type: 'string' } } }],
  ['requires another argument too', { properties: { a: {}, b: {} }, required: ['a', 'b'] }],
  ['takes a number', { properties: { a: { type: 'integer' } } }],
  ['takes one of a few values', { properties: { a: { enum: ['cats', 'dogs'] } } }],
  ['takes shorter texts', { properties: { a: { type: 'string', maxLength: 3 } } }],
  ['takes another text', { properties: { a: { type: 'string', pattern: '^[a-f]+$' } } }],
  ['has a rule that is not understood', { properties: { a: { not: { const: 'whales' } } } }],
  ['has a rule for all arguments', { properties: { a: {} }, not: { required: ['a'] } }],
])('a phrase is no call of another tool of the same name, which %s', async (_, schema) => {
  verifies('offline.phrases.valid');
  expect(await ask('weigh whales', work([PHRASE]))).toEqual(['{"a":"whales"}']);
  const other = work([PHRASE], { parameters: { type: 'object', ...schema } });
  await expect(ask('weigh whales', other)).rejects.toMatchObject(refused);
});

test('phrases belong to a tool by its own name, whatever it is', async () => {
  verifies('offline.phrases.valid');
  for (const name of ['other', 'constructor', '__proto__'])
    await expect(ask('weigh whales', work([PHRASE], { name }))).rejects.toMatchObject(refused);
});

test('a phrase with a kind of value that does not exist is a mistake of the program', async () => {
  verifies('offline.phrases');
  await expect(ask('weigh whales', of('weigh {a:animal}'))).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: expect.stringContaining('"animal"'),
  });
});

const part = (text: string) => ({ type: 'text', text }) as const;

test('a text that came with the prompt goes to a phrase with {material}, without its tags, and to no other', async () => {
  verifies('offline.material');
  const tools = work([
    { text: 'count', input: { text: '{material}' } },
    { text: 'time', input: { a: 1 } },
  ]);
  expect(await ask([part('<file name="a.md">\n<b>\n</file>'), part('count')], tools)).toEqual(['{"text":"<b>\\n"}']);
  expect(await ask([part('plain'), part('count')], tools)).toEqual(['{"text":"plain"}']);
  expect(await ask('time', tools)).toEqual(['{"a":1}']);
  await expect(ask('count', tools)).rejects.toMatchObject(refused);
  await expect(ask([part('plain'), part('time')], tools)).rejects.toMatchObject(refused);
  await expect(ask([part('a'), part('b'), part('count')], tools)).rejects.toMatchObject(refused);
  await expect(ask([part('a'.repeat(1_000_001)), part('count')], tools)).rejects.toMatchObject(refused);
});

test('a refusal quotes the prompt, not the text that came with it', async () => {
  verifies('offline.material');
  const refusal = await ask([part('<stdin>\nsecret\n</stdin>'), part('review')], of('weigh {a}')).catch(String);
  expect(refusal).toContain('"review", asked of what came with it');
  expect(refusal).not.toContain('secret');
  expect(await ask([part('<stdin>\nsecret\n</stdin>')], of('weigh {a}')).catch(String)).not.toContain('secret');
});
