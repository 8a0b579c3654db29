import type { ToolCall } from '@kernel/protocol';
import { expect, test } from 'vitest';
import { argumentsObject } from '../../src/wire/arguments-object.ts';

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
});
