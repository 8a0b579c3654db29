import { KernelError, type Message, type ProviderRequest, textOf } from '@kernel/protocol';
import { scriptedProvider, verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { TEXT_FORMATS, type TextFormatName, detectTextCalls, withTextTools } from '../../src/text-tools/index.ts';
import { TOOLS, read, saying } from './support.ts';

const call = { type: 'tool-call', id: 'text_1', name: 'get_weather', arguments: '{"city":"Oslo"}' } as const;
const HISTORY: readonly Message[] = [
  { role: 'system', content: 'Be kind.' },
  { role: 'user', content: 'Weather?' },
  {
    role: 'assistant',
    content: [{ type: 'text', text: 'I look.' }, call, { ...call, id: 'b', name: 'now', arguments: '' }],
  },
  {
    role: 'tool',
    toolCallId: 'text_1',
    name: 'get_weather',
    content: '<tool_call>{"name":"now","arguments":{}}</tool_call>',
  },
  { role: 'tool', toolCallId: 'b', name: 'now', content: 'no clock', isError: true },
];

test.each(TEXT_FORMATS)(
  '%s: tools go into the system prompt, calls and results of the history into text',
  async (format) => {
    verifies('grammar.text.formats', 'grammar.text.known');
    const inner = saying(['Rain.']);
    await read(withTextTools(inner, format), { messages: HISTORY });
    const [sent] = inner.requests;
    expect(sent).not.toHaveProperty('tools');
    expect(sent?.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user']);
    const [system, , assistant, results] = (sent as ProviderRequest).messages;
    expect(system?.content).toContain('Be kind.');
    for (const tool of TOOLS) expect(system?.content).toContain(JSON.stringify(tool.parameters));
    expect(results?.content).toContain('Error: no clock');

    // What was written for the history is read back as the same calls.
    const said = assistant === undefined ? '' : textOf(assistant);
    const again = await read(withTextTools(saying([said]), format));
    expect(again.calls).toEqual([
      ['get_weather', { city: 'Oslo' }],
      ['now', {}],
    ]);
    expect(again.text.trim()).toBe('I look.');
  },
);

test('the same list and history give the same messages again, so that prompt caches hit', async () => {
  const inner = saying(['Rain.']);
  const provider = withTextTools(inner, 'hermes');
  const frozen = HISTORY.map((message) => Object.freeze(message));
  await read(provider, { messages: frozen });
  await read(provider, { messages: [...frozen, { role: 'user', content: 'And now?' }] });
  const [first, second] = inner.requests;
  expect(second?.messages.slice(0, 4)).toEqual(first?.messages);
  expect(second?.messages[2]).toBe(first?.messages[2]);
  expect(second?.messages[3]).toBe(first?.messages[3]);
});

test('ids are unique in a reply, and the same for the same reply whatever the history holds', async () => {
  const provider = withTextTools(saying(['<tool_call>{"name":"now"}</tool_call>'.repeat(2)]), 'hermes');
  expect((await read(provider)).ids).toEqual(['text_1', 'text_2']);
  expect((await read(provider, { messages: HISTORY })).ids).toEqual(['text_1', 'text_2']);
});

test('a native call gets another id where a printed one has its id, in its delta and in the message', async () => {
  const calls = ['text_1', 'text_2'].map((id) => ({ id, name: 'get_weather', arguments: { city: id } }));
  const inner = scriptedProvider([{ text: '<tool_call>{"name":"now"}</tool_call>', calls }]);
  const { events, ids } = await read(detectTextCalls(inner));
  expect(ids).toEqual(['text_1', 'text_2', 'text_3']);
  const shown = events.flatMap((event) =>
    event.type === 'tool-call-delta' && event.id !== undefined ? [event.id] : [],
  );
  expect(shown).toEqual(ids);
});

test('a reply stopped by its length runs nothing: its whole calls are dropped calls', async () => {
  verifies('grammar.text.stream');
  const said = '<tool_call>{"name":"now","arguments":{}}</tool_call><tool_call>{"name":"get_weather","arg';
  const { calls, end, text } = await read(withTextTools(saying([said], 'length'), 'hermes'));
  expect(calls).toEqual([]);
  expect(end.droppedCalls).toEqual([{ id: 'text_1', name: 'now', arguments: '{}', reason: 'length' }]);
  expect(text).toBe('<tool_call>{"name":"get_weather","arg');
  expect(end.finishReason).toBe('length');
});

test.each(TEXT_FORMATS)('%s: the calls of a reply that was cut off are dropped calls', async (format) => {
  verifies('grammar.text.stream');
  const inner = saying(['ok']);
  await read(withTextTools(inner, format), { messages: HISTORY });
  const message = inner.requests[0]?.messages[2];
  const said = message === undefined ? '' : textOf(message);
  const { calls, end } = await read(withTextTools(saying([said], 'length'), format));
  expect(calls).toEqual([]);
  expect(end.finishReason).toBe('length');
  expect(end.droppedCalls?.map(({ name, reason }) => [name, reason])).toEqual([
    ['get_weather', 'length'],
    ['now', 'length'],
  ]);
});

test('toolChoice none offers and reads nothing; required and a name are stated in the prompt', async () => {
  const none = saying(['<tool_call>{"name":"now"}</tool_call>']);
  expect((await read(withTextTools(none, 'hermes'), { toolChoice: 'none' })).calls).toEqual([]);
  expect(none.requests[0]?.messages.map(({ role }) => role)).toEqual(['user']);
  const named = saying(['ok']);
  await read(withTextTools(named, 'hermes'), { toolChoice: { name: 'now' } });
  expect(named.requests[0]?.messages[0]?.content).toContain('must call the function "now"');
  await expect(read(withTextTools(named, 'hermes'), { toolChoice: { name: 'nwo' } })).rejects.toMatchObject({
    code: 'TOOL_NOT_FOUND',
  });
});

test('an unknown format throws and names the known ones', () => {
  const wrong = (): unknown => withTextTools(saying([]), 'toString' as TextFormatName);
  expect(wrong).toThrow(KernelError);
  expect(wrong).toThrow(/Unknown text format "toString"/);
});

test('reasoning, usage and embeddings pass through; markup in reasoning is not a call', async () => {
  verifies('grammar.text.known');
  const inner = scriptedProvider([
    { reasoning: '<tool_call>{"name":"now"}</tool_call>', text: 'x <tool_call>{"name":"now"}</tool_call>' },
    { embeddings: [[1]] },
  ]);
  const provider = withTextTools(inner, 'hermes');
  const { calls, end } = await read(provider);
  expect(calls).toEqual([['now', {}]]);
  expect(end.message.content.map(({ type }) => type)).toEqual(['reasoning', 'text', 'tool-call']);
  expect((await provider.embed?.({ model: 'm', input: 'a' }))?.embeddings).toHaveLength(1);
});

test('detectTextCalls asks natively, keeps native calls, and leaves out a printed one that repeats a native one', async () => {
  verifies('grammar.text.known');
  const printed = '<tool_call>{"name":"now","arguments":{}}</tool_call>';
  const inner = scriptedProvider([
    { text: printed },
    {
      text: `${printed}[TOOL_CALLS][{"name":"get_weather","arguments":{}}]`,
      calls: [{ id: 'n1', name: 'now', arguments: {} }],
    },
  ]);
  const provider = detectTextCalls(inner);
  expect((await read(provider)).calls).toEqual([['now', {}]]);
  expect(inner.streamRequests[0]?.tools).toBe(TOOLS);
  expect((await read(provider)).calls).toEqual([
    ['get_weather', {}],
    ['now', {}],
  ]);
});

test('leaving the loop closes the inner stream', async () => {
  let closed = false;
  const provider = withTextTools(
    {
      name: 'endless',
      async *stream() {
        try {
          for (;;) {
            await Promise.resolve();
            yield { type: 'text-delta', text: 'a' };
          }
        } finally {
          closed = true;
        }
      },
    },
    'json',
  );
  const messages = [{ role: 'user' as const, content: 'Go.' }];
  for await (const event of provider.stream({ model: 'm', messages, tools: TOOLS }))
    if (event.type === 'text-delta') break;
  expect(closed).toBe(true);
});
