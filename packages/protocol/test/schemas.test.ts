import { expect, test } from 'vitest';
import { messageSchema, providerEventSchema, toolResultSchema, toolSchema } from '../src/schemas/index.ts';
import { verifies } from '../../testing/src/verifies.ts';

const tools = [
  {
    name: 'a',
    description: 'A',
    parameters: { type: 'object', properties: { x: { type: 'string' } }, required: ['x'] },
  },
  { name: 'b', description: '', parameters: {} },
];

test('a JSON array of name, description and parameters is read unchanged', () => {
  verifies('tool.json', 'tool.fields');
  expect(toolSchema.array().parse(JSON.parse(JSON.stringify(tools)))).toEqual(tools);
});

test.each([
  ['a missing description', { name: 'c', parameters: {} }, [2, 'description']],
  ['a parameter schema that is text', { name: 'c', description: '', parameters: '{}' }, [2, 'parameters']],
  ['a wrong effect deep in an entry', { name: 'c', description: '', parameters: {}, effect: 'none' }, [2, 'effect']],
  [
    'a wrong example',
    { name: 'c', description: '', parameters: {}, metadata: { examples: [{ description: 1, input: {} }] } },
    [2, 'metadata', 'examples', 0, 'description'],
  ],
])('%s is refused with its index and path', (_name, entry, path) => {
  verifies('tool.json');
  const { error } = toolSchema.array().safeParse([...tools, entry]);
  expect(error?.issues[0]?.path).toEqual(path);
});

test('a key that Tool does not have is refused by name', () => {
  verifies('tool.fields');
  const { error } = toolSchema.safeParse({ ...tools[0], handler: 'x' });
  expect(error?.issues[0]).toMatchObject({ code: 'unrecognized_keys', keys: ['handler'] });
});

test('every kind of message, result and event passes through JSON and its schema unchanged', () => {
  const assistant = {
    role: 'assistant',
    content: [
      { type: 'reasoning', text: 'hm', providerData: { signature: 'x', list: [1, null] } },
      { type: 'text', text: 'a' },
      { type: 'tool-call', id: '1', name: 'a', arguments: '{' },
      { type: 'opaque', kind: 'web_search_call', providerData: { id: 'ws_1', action: null } },
    ],
    provider: { vendor: 'v', model: 'm' },
  };
  const messages = [
    { role: 'system', content: 's' },
    {
      role: 'user',
      content: [
        { type: 'image', mimeType: 'image/png', data: 'AA==' },
        { type: 'text', text: 'a' },
      ],
    },
    assistant,
    { role: 'tool', toolCallId: '1', name: 'a', content: 'x', isError: true },
  ];
  for (const message of messages) expect(messageSchema.parse(message)).toEqual(message);
  const result = {
    forLLM: 'a',
    outcome: 'done',
    data: { a: [1] },
    repairs: [{ path: '/a', from: '1', to: 1, rule: 'r' }],
  };
  expect(toolResultSchema.parse(result)).toEqual(result);
  const end = {
    type: 'message-end',
    message: assistant,
    finishReason: 'stop',
    usage: { inputTokens: 1, outputTokens: 2 },
  };
  expect(providerEventSchema.parse(end)).toEqual(end);
  expect(messageSchema.safeParse({ role: 'robot', content: '' }).success).toBe(false);
});
