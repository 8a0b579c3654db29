import type { Message, ProviderEvent, Tool } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { describe, expect, it, test } from 'vitest';
import { createProvider, lintTools } from '../../src/index.ts';
import { refusalsOf, schemasOf } from './refusals.ts';

const VENDORS = [
  ['openai', 'gpt-4.1'],
  ['openai-responses', 'gpt-5.1'],
  ['azure', 'gpt-4.1'],
  ['anthropic', 'claude-sonnet-4-5'],
  ['anthropic', 'claude-opus-4-8'],
  ['anthropic', 'kimi-k2-thinking'],
  ['bedrock', 'anthropic.claude-sonnet-4-5-20250929-v1:0'],
  ['gemini', 'gemini-3-pro-preview'],
  ['gemini', 'gemini-2.5-flash'],
  ['mistral', 'mistral-large-latest'],
  ['openrouter', 'mistralai/devstral-small'],
  ['openrouter', 'anthropic/claude-sonnet-4.6'],
  ['deepseek', 'deepseek-v4-pro'],
  ['openrouter', 'moonshotai/kimi-k2-thinking'],
  ['xai', 'grok-4'],
] as const;

const call = (id: string) => ({ type: 'tool-call', id, name: 'look', arguments: '{"q":"a"}' }) as const;
const result = (toolCallId: string): Message => ({ role: 'tool', toolCallId, name: 'look', content: 'found' });
const user = (content: string): Message => ({ role: 'user', content });
const reply = (vendor: string, ...content: Extract<Message, { role: 'assistant' }>['content']): Message => ({
  role: 'assistant',
  content,
  provider: { vendor, model: 'm' },
});
const look: Tool = { name: 'look', description: 'Looks.', parameters: { type: 'object', properties: {} } };
const pdf = { type: 'file', mimeType: 'application/pdf', data: 'JVBERi0=', name: 'report.pdf' } as const;

const HISTORIES: Readonly<Record<string, (vendor: string) => readonly Message[]>> = {
  'a call of another vendor': (vendor) => [user('go'), reply(`not-${vendor}`, call('1')), result('1')],
  'its own call without a thought': (vendor) => [user('go'), reply(vendor, call('1')), result('1')],
  'parallel calls of another vendor': () => [user('go'), reply('x', call('1'), call('2')), result('1'), result('2')],
  'thoughts of another vendor': () => [
    user('go'),
    reply('x', { type: 'reasoning', text: 'Hm.', providerData: { signature: 's' } }, call('1')),
    result('1'),
  ],
  'a user who speaks after a result': (vendor) => [user('go'), reply(vendor, call('1')), result('1'), user('no!')],
  'a reply without a word': (vendor) => [user('go'), reply(vendor), user('and?')],
  'a reply of blanks after a result': (vendor) => [
    user('go'),
    reply(vendor, call('1')),
    result('1'),
    reply(vendor, { type: 'text', text: ' ' }),
    user('and?'),
  ],
  'a history that begins with a reply': (vendor) => [reply(vendor, { type: 'text', text: 'Hello.' }), user('go')],
  'a history that ends with a reply': (vendor) => [user('go'), reply(vendor, { type: 'text', text: 'Well,' })],
};

async function sent(vendor: string, model: string, messages: readonly Message[], tools = [look], options = {}) {
  let body = '';
  const fetch = async (_: unknown, init: { body: string | Uint8Array }): Promise<Response> => {
    body = typeof init.body === 'string' ? init.body : new TextDecoder().decode(init.body);
    return new Response('{}', { headers: { 'content-type': 'application/json' } });
  };
  const more = {
    azure: { baseUrl: 'https://x.example', deployment: 'd', apiVersion: '2024-10-21', authType: 'api_key' },
    bedrock: { region: 'us-east-1' },
  };
  const config = { name: vendor, token: 'k', fetch, ...(more as Record<string, object>)[vendor] };
  await drain(createProvider(config as never).stream({ model, messages, tools, options })).catch(() => undefined);
  return JSON.parse(body) as Record<string, unknown>;
}

async function drain(events: AsyncIterable<ProviderEvent>): Promise<readonly ProviderEvent[]> {
  const all: ProviderEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

describe.each(VENDORS)('%s with %s', (vendor, model) => {
  it.each(Object.keys(HISTORIES))('goes on with %s', async (what) => {
    verifies('providers.refusals.history');
    const body = await sent(vendor, model, HISTORIES[what]?.(vendor) ?? []);
    expect(refusalsOf(vendor, model, body)).toEqual([]);
  });

  it('takes tools whose schemas are none, and keeps the sound one', async () => {
    verifies('providers.refusals.tools');
    const body = await sent(vendor, model, [user('go')], [look, ...ODD]);
    expect(refusalsOf(vendor, model, body)).toEqual([]);
    expect(schemasOf(body)).toHaveLength(ODD.length);
  });
});

const odd = (name: string, properties: object, more: object = {}): Tool => ({
  name,
  description: 'd',
  parameters: { type: 'object', properties, ...more },
});
/** The last can't be read as the schema of any arguments. */
const ODD: readonly Tool[] = [
  odd('list_items', { 'filter[status]': { type: 'string' }, $top: { type: 'integer' }, 'page size': {}, größe: {} }),
  odd(
    'nested',
    { a: { type: 'object', properties: { 'b c': { $ref: '#/$defs/D' } } } },
    { $defs: { D: { type: 'array' } } },
  ),
  odd('arrays', { list: { type: ['array', 'null'] }, pair: { type: 'array', items: [{ type: 'string' }, {}] } }),
  odd('closed_tuple', { pair: { type: 'array', prefixItems: [{ type: 'string' }], items: false } }),
  odd('inside', { coin: { type: 'string' }, required: ['coin'], type: 'object' }),
  odd('draft4', { n: { type: 'number', minimum: 0, exclusiveMinimum: true, required: true } }),
  odd('odd_types', {
    a: { type: 'any' },
    b: { type: 'int' },
    c: true,
    d: 'string',
    e: { type: null },
    f: { type: ['any'] },
  }),
  odd('dangling', { a: { $ref: '#/$defs/None' }, b: { anyOf: [] }, c: { enum: 'x' } }),
  { name: 'empty', description: 'd', parameters: {} },
  { name: 'nulls', description: 'd', parameters: { type: 'object', properties: null, required: null } },
  { name: 'root', description: 'd', parameters: { type: 'string' } },
];

test('lintTools tells of schemas that are none before the first request, by the name of the tool', () => {
  verifies('providers.refusals.tools');
  const told = new Set(lintTools(ODD, 'openai').map(({ tool }) => tool));
  expect([...told]).toEqual(expect.arrayContaining(['odd_types', 'dangling', 'root']));
});

test('lintTools names the vendor that refuses long descriptions or keywords at the root', () => {
  verifies('providers.refusals.tools');
  const long = {
    ...look,
    description: 'x'.repeat(1025),
    parameters: { ...look.parameters, additionalProperties: false },
  };
  expect(
    lintTools([long], 'azure')
      .map(({ message }) => message)
      .join(),
  ).toContain('azure refuses it');
  expect(
    lintTools([long], 'bedrock')
      .map(({ message }) => message)
      .join(),
  ).toContain('nova refuses it');
  expect(lintTools([look], 'bedrock')).toEqual([]);
});

test('a document that is attached twice, without a word, goes to Bedrock with two names and a text', async () => {
  const messages: readonly Message[] = [
    { role: 'user', content: [pdf] },
    reply('bedrock', { type: 'text', text: 'Read.' }),
    { role: 'user', content: [pdf, { ...pdf, name: 'report (2).pdf' }, { type: 'text', text: 'The new one.' }] },
  ];
  const body = await sent('bedrock', 'amazon.nova-pro-v1:0', messages, []);
  expect(refusalsOf('bedrock', 'amazon.nova-pro-v1:0', body)).toEqual([]);
  expect(JSON.stringify(body['messages'])).toContain('See the document.');
});

test.each([
  ['anthropic', 'claude-sonnet-4-5', 'thinking'],
  ['bedrock', 'anthropic.claude-sonnet-4-5-20250929-v1:0', 'additionalModelRequestFields'],
])(
  '%s goes on without thinking after calls of another vendor, and thinks again in the next turn',
  async (vendor, model, field) => {
    verifies('providers.refusals.history');
    const begun = [user('go'), reply('x', call('1')), result('1')];
    const options = { reasoningEffort: 'low' };
    expect(await sent(vendor, model, begun, [look], options)).not.toHaveProperty(field);
    const next = [...begun, reply('x', { type: 'text', text: 'Found.' }), user('and?')];
    expect(await sent(vendor, model, next, [look], options)).toHaveProperty(field);
  },
);
