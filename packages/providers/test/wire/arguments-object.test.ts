import type { ToolCall } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { all } from '../support.ts';
import { WIRES, withWire } from '../wires.ts';
import { argumentsObject, argumentsText } from '../../src/wire/arguments.ts';

test.each([
  ['{"x":1}', { x: 1 }],
  ['"{\\"x\\":1}"', { x: 1 }],
  ['', {}],
  [' \n', {}],
  ['{"x":', { unreadable_arguments: '{"x":' }],
  ['[1]', { unreadable_arguments: '[1]' }],
  ['"text"', { unreadable_arguments: '"text"' }],
])('the arguments %j of a call in the history are sent as the object %j', (text, expected) => {
  const call: ToolCall = { type: 'tool-call', id: 'a', name: 'f', arguments: text };
  expect(argumentsObject(call)).toEqual(expected);
  expect(JSON.parse(argumentsText(call))).toEqual(expected);
});

test('arguments that are the JSON of an object are sent as the model wrote them', () => {
  const text = '{ "x": 1.0, "x": 2 }';
  expect(argumentsText({ type: 'tool-call', id: 'a', name: 'f', arguments: text })).toBe(text);
});

test.each(WIRES.map(([wire]) => wire))(
  'no request of %s has arguments that are not the JSON of an object',
  async (wire) => {
    verifies('providers.history.arguments');
    await withWire(wire, { replies: [{ text: 'ok' }] }, async ({ provider, server }) => {
      const calls = ['{"x":', 'null', '', '[1]'].map((text, index) => ({
        type: 'tool-call' as const,
        id: `call_${index}`,
        name: 'f',
        arguments: text,
      }));
      const results = calls.map(({ id, name }) => ({ role: 'tool' as const, toolCallId: id, name, content: 'no' }));
      const messages = [
        { role: 'user' as const, content: 'x' },
        { role: 'assistant' as const, content: calls },
        ...results,
      ];
      await all(provider.stream({ model: 'test-model', messages, tools: [] }));
      const sent: unknown[] = [];
      JSON.parse(Buffer.from(server.requests[0]?.bytes ?? []).toString('utf8'), (key, value: unknown) => {
        if (['arguments', 'args'].includes(key) || (key === 'input' && !Array.isArray(value)))
          sent.push(typeof value === 'string' ? JSON.parse(value) : value);
        return value;
      });
      expect(sent).toHaveLength(4);
      for (const each of sent) expect(each).toBeTypeOf('object');
      for (const each of sent) expect(Array.isArray(each) || each === null).toBe(false);
    });
  },
);
