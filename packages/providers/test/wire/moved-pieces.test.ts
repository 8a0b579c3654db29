import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { type CallFragment, createCallAssembler } from '../../src/wire/call-assembler.ts';

const NAMES = ['get_time', 'get_weather', 'get'];
const decoder = {
  toolName: (name: string) => name,
  begins: (text: string, instead: string) => !NAMES.includes(instead) && NAMES.some((name) => name.startsWith(text)),
};
const read = (fragments: readonly CallFragment[]) => {
  const calls = createCallAssembler(decoder);
  for (const fragment of fragments) calls.add(fragment);
  return calls.finish().map(({ name, arguments: text }) => `${name}${text}`);
};

test.each<readonly [string, readonly CallFragment[], readonly string[]]>([
  [
    'arguments that go on under other indexes',
    [
      { index: 0, id: 'a', name: 'get_time', arguments: '' },
      { index: 3, arguments: '{"city":' },
      { index: 7, arguments: '"Oslo"}' },
    ],
    ['get_time{"city":"Oslo"}'],
  ],
  [
    'moved arguments of the second of two calls',
    [
      { index: 0, id: 'a', name: 'get_time', arguments: '{}' },
      { index: 1, id: 'b', name: 'get_weather', arguments: '{"city":' },
      { index: 2, arguments: '"Oslo"' },
      { index: 2, arguments: '}' },
    ],
    ['get_time{}', 'get_weather{"city":"Oslo"}'],
  ],
  [
    'interleaved calls',
    [
      { index: 0, id: 'a', name: 'get_time', arguments: '{"a":' },
      { index: 1, id: 'b', name: 'get_weather', arguments: '{"b":' },
      { index: 0, arguments: '1}' },
      { index: 1, arguments: '2}' },
    ],
    ['get_time{"a":1}', 'get_weather{"b":2}'],
  ],
  [
    'a name in pieces',
    [
      { index: 0, id: 'a', name: 'get_' },
      { index: 0, name: 'wea' },
      { index: 0, id: 'a', name: 'ther', arguments: '{}' },
    ],
    ['get_weather{}'],
  ],
  [
    'a name that is repeated longer each time',
    [
      { index: 0, id: 'a', name: 'get_w' },
      { index: 0, name: 'get_weather' },
      { index: 0, arguments: '{}' },
    ],
    ['get_weather{}'],
  ],
  [
    'two calls of which one name begins the other',
    [
      { index: 0, name: 'get', arguments: '' },
      { index: 0, name: 'get_time', arguments: '{}' },
    ],
    ['get{}', 'get_time{}'],
  ],
])('%s become the calls that the model meant', (_, fragments, expected) => {
  verifies('providers.stream.assemble');
  expect(read(fragments)).toEqual(expected);
});
