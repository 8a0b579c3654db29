import { toolCallsOf, type Message } from '@kernel/protocol';
import { expect, test } from 'vitest';
import { createProviders } from '../../src/index.ts';
import { LETTER_FIRST_TOOL_NAME, TOOL_NAME, toWireName } from '../../src/wire/names.ts';
import { ADD } from '../history.ts';
import { endOf, request, withServer } from '../support.ts';
import { WIRES, withWire } from '../wires.ts';

test('names are mapped one to one, the same each time, and legal ones stay as they are', () => {
  const names = [
    'a.b',
    'a_b',
    'a-b',
    'a/b',
    'ä',
    'ö',
    '2x',
    '-x',
    'x'.repeat(64),
    'x'.repeat(65),
    'x'.repeat(66),
    '__proto__',
    '',
  ];
  for (const rule of [TOOL_NAME, LETTER_FIRST_TOOL_NAME]) {
    const mapped = names.map((name) => toWireName(name, rule));
    expect(new Set(mapped).size).toBe(names.length);
    for (const name of mapped) expect(name).toMatch(rule);
    expect(mapped).toEqual(names.map((name) => toWireName(name, rule)));
  }
  expect(toWireName('add-2', LETTER_FIRST_TOOL_NAME)).toBe('add-2');
});

test.each(WIRES)(
  '%s: a tool with dots in its name is offered, called and answered under a name that the vendor accepts',
  async (wire) => {
    const name = `files.${'x'.repeat(80)}.read`;
    const tools = [{ ...ADD, name }];
    let wireName = '';
    const replies = (recorded: { body: unknown }, at: number) => {
      const names = JSON.stringify(recorded.body).match(/files[._]x+[A-Za-z0-9._]*/g) ?? [];
      wireName = names[0] ?? '';
      expect(new Set(names).size).toBe(1);
      return at === 0 ? { calls: [{ id: 'a', name: wireName, arguments: {} }] } : { text: 'ok' };
    };
    await withWire(wire, { replies }, async ({ provider, server }) => {
      const { message } = await endOf(provider.stream(request({ tools })));
      expect(toolCallsOf(message)).toMatchObject([{ name }]);
      const result: Message = { role: 'tool', toolCallId: 'a', name, content: 'x' };
      await endOf(provider.stream(request({ tools, messages: [...request().messages, message, result] })));
      expect(server.requests.map(({ problems }) => problems)).toEqual([[], []]);
    });
  },
);

test.each([
  ['mistral', /^[a-zA-Z0-9]{9}$/],
  ['azure', /^.{1,40}$/],
  ['openai-responses', /^.{1,64}$/],
  ['anthropic', /^[a-zA-Z0-9_-]{1,64}$/],
  ['bedrock', /^[a-zA-Z0-9_-]{1,64}$/],
] as const)('%s gets ids that it accepts, one to one, the same in call and result', async (name, rule) => {
  const ids = ['call_1', 'call_2', 'toolu|fc_123', 'x'.repeat(70), 'abcdefgh1'];
  const [, own] = WIRES.find(([wire]) => wire === name) ?? [name, {}];
  const messages: readonly Message[] = [
    ...request().messages,
    { role: 'assistant', content: ids.map((id) => ({ type: 'tool-call', id, name: 'f', arguments: '{}' })) },
    ...ids.map((id) => ({ role: 'tool', toolCallId: id, name: 'f', content: 'x' }) as const),
  ];
  await withServer([{ text: 'ok' }], async ({ server }) => {
    const baseUrl = name === 'mistral' ? server.baseUrl : server.url;
    await endOf(
      createProviders()
        .create({ name, ...own, baseUrl })
        .stream(request({ messages })),
    );
    const text = JSON.stringify(server.requests[0]?.body);
    const sent = [...text.matchAll(/"(?:tool_call_id|call_id|tool_use_id|toolUseId|id)":"([^"]*)"/g)].map(
      (match) => match[1] ?? '',
    );
    expect(new Set(sent).size).toBe(ids.length);
    expect(sent).toHaveLength(ids.length * 2);
    for (const id of sent) expect(id).toMatch(rule);
    expect(sent).toContain('abcdefgh1');
  });
});
