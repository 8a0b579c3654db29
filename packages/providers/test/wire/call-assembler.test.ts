import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { type CallFragment, createCallAssembler } from '../../src/wire/call-assembler.ts';

function assemble(fragments: readonly (CallFragment | readonly CallFragment[])[]) {
  const assembler = createCallAssembler();
  for (const entry of fragments) {
    const list = Array.isArray(entry) ? (entry as readonly CallFragment[]) : [entry as CallFragment];
    for (const [at, fragment] of list.entries()) assembler.add(fragment, at, list.length);
  }
  return assembler.finish().map(({ arguments: text, id, name }) => [id, name, text]);
}

const cases: readonly [string, readonly (CallFragment | readonly CallFragment[])[], readonly (readonly string[])[]][] =
  [
    [
      'interleaved calls by index',
      [
        { index: 0, id: 'a', name: 'f', arguments: '' },
        { index: 1, id: 'b', name: 'g', arguments: '' },
        { index: 0, arguments: '{"x"' },
        { index: 1, arguments: '{"y"' },
        { index: 0, arguments: ':1}' },
        { index: 1, arguments: ':2}' },
      ],
      [
        ['a', 'f', '{"x":1}'],
        ['b', 'g', '{"y":2}'],
      ],
    ],
    [
      'sparse indexes that do not begin at 0',
      [
        { index: 3, id: 'a', name: 'f', arguments: '{}' },
        { index: 9, id: 'b', name: 'g', arguments: '{}' },
      ],
      [
        ['a', 'f', '{}'],
        ['b', 'g', '{}'],
      ],
    ],
    [
      'one index for two calls',
      [
        { index: 0, id: 'a', name: 'f', arguments: '{"x":1}' },
        { index: 0, id: 'b', name: 'g', arguments: '{"y"' },
        { index: 0, arguments: ':2}' },
      ],
      [
        ['a', 'f', '{"x":1}'],
        ['b', 'g', '{"y":2}'],
      ],
    ],
    [
      'one index and one name for two calls without ids',
      [
        { index: 0, name: 'f', arguments: '{"x":1}' },
        { index: 0, name: 'f', arguments: '{"x":2}' },
      ],
      [
        ['call_1', 'f', '{"x":1}'],
        ['call_2', 'f', '{"x":2}'],
      ],
    ],
    [
      'equal ids under two indexes',
      [
        { index: 0, id: 'a', name: 'f', arguments: '{}' },
        { index: 1, id: 'a', name: 'f', arguments: '{}' },
      ],
      [
        ['a', 'f', '{}'],
        ['call_1', 'f', '{}'],
      ],
    ],
    [
      'no index, ids only',
      [
        { id: 'a', name: 'f', arguments: '{"x"' },
        { id: 'b', name: 'g', arguments: '{"y"' },
        { id: 'a', arguments: ':1}' },
        { id: 'b', arguments: ':2}' },
      ],
      [
        ['a', 'f', '{"x":1}'],
        ['b', 'g', '{"y":2}'],
      ],
    ],
    [
      'no index and no id, one whole call in each chunk',
      [
        { name: 'f', arguments: '{"x":1}', id: '' },
        { name: 'f', arguments: '{"x":2}', id: '' },
      ],
      [
        ['call_1', 'f', '{"x":1}'],
        ['call_2', 'f', '{"x":2}'],
      ],
    ],
    [
      'no index and no id, pieces by position',
      [
        [
          { name: 'f', arguments: '{"x"' },
          { name: 'g', arguments: '{"y"' },
        ],
        [{ arguments: ':1}' }, { arguments: ':2}' }],
      ],
      [
        ['call_1', 'f', '{"x":1}'],
        ['call_2', 'g', '{"y":2}'],
      ],
    ],
    [
      'a name that comes late and then again',
      [
        { index: 0, id: 'a' },
        { index: 0, name: 'f', arguments: '{"x"' },
        { index: 0, id: 'a', name: 'f', arguments: ':1}' },
      ],
      [['a', 'f', '{"x":1}']],
    ],
    [
      'an id that comes late',
      [
        { index: 0, name: 'f', arguments: '{"x"' },
        { index: 0, id: 'a', arguments: ':1}' },
      ],
      [['a', 'f', '{"x":1}']],
    ],
    [
      'a new id in every delta',
      [
        { index: 0, id: 'r1', name: 'f', arguments: '{"x"' },
        { index: 0, id: 'r2', name: 'f', arguments: ':[{}' },
        { index: 0, id: 'r3', arguments: ',1]}' },
      ],
      [['r1', 'f', '{"x":[{},1]}']],
    ],
    [
      'the whole arguments once more in a last event',
      [
        { index: 0, id: 'a', name: 'f', arguments: '{"x"' },
        { index: 0, arguments: ':1}' },
        { index: 0, id: 'a', name: 'f', arguments: '{"x": 1}' },
      ],
      [['a', 'f', '{"x":1}']],
    ],
    ['arguments as an object', [{ index: 0, id: 'a', name: 'f', arguments: { x: 1 } }], [['a', 'f', '{"x":1}']]],
    [
      'arguments encoded twice, as the vendor sent them,',
      [{ index: 0, id: 'a', name: 'f', arguments: '"{\\"x\\":1}"' }],
      [['a', 'f', '"{\\"x\\":1}"']],
    ],
    [
      'empty, null and absent arguments',
      [
        { index: 0, id: 'a', name: 'f', arguments: '' },
        { index: 1, id: 'b', name: 'f', arguments: null },
        { index: 2, id: 'c', name: 'f' },
        { index: 3, id: 'd', name: 'f', arguments: 'nu' },
        { index: 3, arguments: 'll' },
      ],
      [
        ['a', 'f', '{}'],
        ['b', 'f', '{}'],
        ['c', 'f', '{}'],
        ['d', 'f', '{}'],
      ],
    ],
    [
      'hostile names and a brace inside of text',
      [
        { index: 0, id: '__proto__', name: 'constructor', arguments: '{"a":"}' },
        { index: 0, arguments: '{\\"' },
        { index: 0, arguments: '"}' },
      ],
      [['__proto__', 'constructor', '{"a":"}{\\""}']],
    ],
  ];

test.each(cases)('assembles %s without merging or losing a call', (_, fragments, expected) => {
  verifies('providers.stream.assemble');
  expect(assemble(fragments)).toEqual(expected);
});

test('64 interleaved calls come out whole and in order of appearance', () => {
  verifies('providers.stream.assemble');
  const indexes = Array.from({ length: 64 }, (_, at) => at);
  const fragments = [
    ...indexes.map((index) => ({ index, id: `id${index}`, name: `t${index}`, arguments: '{"n":' })),
    ...indexes.toReversed().map((index) => ({ index, arguments: `${index}}` })),
  ];
  expect(assemble(fragments)).toEqual(indexes.map((index) => [`id${index}`, `t${index}`, `{"n":${index}}`]));
});

test('every id of a reply is unique and not empty, a generated one never takes the id of a later call, and the same reply gets the same ids', () => {
  const fragments = ['', 'call_1', 'a', 'a', '', 'call_3'].map((id, index) => ({
    index,
    id,
    name: 'f',
    arguments: '{}',
  }));
  const ids = assemble(fragments).map(([id]) => id);
  expect(ids).toEqual(['call_2', 'call_1', 'a', 'call_4', 'call_5', 'call_3']);
  expect(assemble(fragments).map(([id]) => id)).toEqual(ids);
});

test('a call with arguments that never gets a name throws PROVIDER_PROTOCOL', () => {
  expect(() => assemble([{ index: 0, id: 'a', arguments: '{}' }])).toThrow(/without a name/);
});

test('each delta has the index of its call in the reply, the id and the name once', () => {
  const assembler = createCallAssembler();
  expect(assembler.add({ index: 5, id: 'a', name: 'f', arguments: '' })).toEqual({
    type: 'tool-call-delta',
    index: 0,
    id: 'a',
    name: 'f',
    arguments: '',
  });
  expect(assembler.add({ index: 5, id: 'a', name: 'f', arguments: '{}' })).toEqual({
    type: 'tool-call-delta',
    index: 0,
    arguments: '{}',
  });
});
