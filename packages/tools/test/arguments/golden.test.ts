import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { bindTool, createRegistry } from '../../src/index.ts';

const parameters = {
  type: 'object',
  properties: {
    path: { type: 'string', minLength: 1, pattern: '^[a-z/._-]+$' },
    mode: { enum: ['read', 'write', 'list'] },
    limit: { type: 'integer', minimum: 1, maximum: 100 },
    ratio: { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1, multipleOf: 0.1 },
    deep: { type: 'boolean' },
    tags: { type: 'array', items: { type: 'string', maxLength: 5 }, minItems: 1, maxItems: 3, uniqueItems: true },
    filter: {
      type: 'object',
      properties: { since: { type: 'string' }, kind: { const: 'file' } },
      required: ['since'],
      additionalProperties: false,
    },
    target: {
      oneOf: [
        { type: 'object', properties: { type: { const: 'url' }, url: { type: 'string' } }, required: ['type', 'url'] },
        { type: 'object', properties: { type: { const: 'id' }, id: { type: 'integer' } }, required: ['type', 'id'] },
      ],
    },
    size: { anyOf: [{ type: 'integer' }, { enum: ['small', 'large'] }] },
    when: { type: ['string', 'null'] },
    env: { type: 'object', additionalProperties: { type: 'string' }, propertyNames: { pattern: '^[A-Z]+$' } },
    none: false,
    pair: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'integer' }], items: false },
    odd: { not: { const: 3 } },
    list: { type: 'array', contains: { type: 'integer' } },
  },
  required: ['path'],
  additionalProperties: false,
};

const registry = createRegistry([bindTool({ name: 'search_files', description: 'd', parameters }, () => 'ok')], {
  repair: 'off',
});

/** A mistake, the arguments that make it (with `path: 'a'` unless they are text or have a path), and what the model reads after the code. */
const mistakes: readonly (readonly [string, unknown, string])[] = [
  ['a required argument is missing', {}, '"search_files" refused its arguments. /: "path" is missing.'],
  [
    'null for a required one',
    { path: null },
    '"search_files" refused its arguments. /path: expected string, got null.',
  ],
  ['a number for text', { path: 5 }, '"search_files" refused its arguments. /path: expected string, got 5.'],
  [
    'empty text',
    { path: '' },
    '"search_files" refused its arguments. /path: expected at least 1 character, got "". /path: expected text that matches /^[a-z/._-]+$/, got "".',
  ],
  [
    'text off the pattern',
    { path: 'A B' },
    '"search_files" refused its arguments. /path: expected text that matches /^[a-z/._-]+$/, got "A B".',
  ],
  [
    'two letters swapped in a choice',
    { path: 'a', mode: 'raed' },
    '"search_files" refused its arguments. /mode: expected one of "read", "write", "list", got "raed" (did you mean "read"?).',
  ],
  [
    'a choice in capitals',
    { path: 'a', mode: 'READ' },
    '"search_files" refused its arguments. /mode: expected one of "read", "write", "list", got "READ" (did you mean "read"?).',
  ],
  [
    'an unknown choice',
    { path: 'a', mode: 'delete' },
    '"search_files" refused its arguments. /mode: expected one of "read", "write", "list", got "delete".',
  ],
  [
    'a number for a choice',
    { path: 'a', mode: 3 },
    '"search_files" refused its arguments. /mode: expected one of "read", "write", "list", got 3.',
  ],
  [
    'a fraction for a whole number',
    { path: 'a', limit: 1.5 },
    '"search_files" refused its arguments. /limit: expected integer, got 1.5.',
  ],
  [
    'a word for a number',
    { path: 'a', limit: 'ten' },
    '"search_files" refused its arguments. /limit: expected integer, got "ten".',
  ],
  [
    'a number too small',
    { path: 'a', limit: 0 },
    '"search_files" refused its arguments. /limit: expected a number ≥ 1, got 0.',
  ],
  [
    'a number too large',
    { path: 'a', limit: 1000 },
    '"search_files" refused its arguments. /limit: expected a number ≤ 100, got 1000.',
  ],
  [
    'a list for a number',
    { path: 'a', limit: [1] },
    '"search_files" refused its arguments. /limit: expected integer, got an array of 1.',
  ],
  [
    'an object for a number',
    { path: 'a', limit: { value: 1 } },
    '"search_files" refused its arguments. /limit: expected integer, got an object.',
  ],
  [
    'a number at an open lower bound',
    { path: 'a', ratio: 0 },
    '"search_files" refused its arguments. /ratio: expected a number > 0, got 0.',
  ],
  [
    'a number at an open upper bound',
    { path: 'a', ratio: 1 },
    '"search_files" refused its arguments. /ratio: expected a number < 1, got 1.',
  ],
  [
    'a number between the steps',
    { path: 'a', ratio: 0.15 },
    '"search_files" refused its arguments. /ratio: expected a multiple of 0.1, got 0.15.',
  ],
  [
    'a word for a flag',
    { path: 'a', deep: 'yes' },
    '"search_files" refused its arguments. /deep: expected boolean, got "yes".',
  ],
  [
    'a number for a flag',
    { path: 'a', deep: 1 },
    '"search_files" refused its arguments. /deep: expected boolean, got 1.',
  ],
  [
    'text for a list',
    { path: 'a', tags: 'x' },
    '"search_files" refused its arguments. /tags: expected array, got "x".',
  ],
  [
    'an empty list',
    { path: 'a', tags: [] },
    '"search_files" refused its arguments. /tags: expected at least 1 item, got [].',
  ],
  [
    'too long a list',
    { path: 'a', tags: ['a', 'b', 'c', 'd'] },
    '"search_files" refused its arguments. /tags: expected at most 3 items, got an array of 4.',
  ],
  [
    'an item twice',
    { path: 'a', tags: ['a', 'a'] },
    '"search_files" refused its arguments. /tags: expected items that all differ, got an array of 2.',
  ],
  [
    'a wrong item',
    { path: 'a', tags: ['a', 5] },
    '"search_files" refused its arguments. /tags/1: expected string, got 5.',
  ],
  [
    'an item too long',
    { path: 'a', tags: ['abcdefgh'] },
    '"search_files" refused its arguments. /tags/0: expected at most 5 characters, got "abcdefgh".',
  ],
  [
    'a nested argument is missing',
    { path: 'a', filter: {} },
    '"search_files" refused its arguments. /filter: "since" is missing.',
  ],
  [
    'a nested name is misspelled',
    { path: 'a', filter: { since: 'x', sicne: 'y' } },
    '"search_files" refused its arguments. /filter: no property "sicne" (did you mean "since"?).',
  ],
  [
    'a fixed value is wrong',
    { path: 'a', filter: { since: 'x', kind: 'files' } },
    '"search_files" refused its arguments. /filter/kind: expected "file", got "files" (did you mean "file"?).',
  ],
  [
    'text for an object',
    { path: 'a', filter: 'x' },
    '"search_files" refused its arguments. /filter: expected object, got "x".',
  ],
  [
    'the tag of a union is unknown',
    { path: 'a', target: { type: 'link', url: 'x' } },
    '"search_files" refused its arguments. /target/type: expected one of "url", "id", got "link".',
  ],
  [
    'a part of the meant form is missing',
    { path: 'a', target: { type: 'url' } },
    '"search_files" refused its arguments. /target: "url" is missing.',
  ],
  [
    'text for a union of objects',
    { path: 'a', target: 'x' },
    '"search_files" refused its arguments. /target: expected object, got "x".',
  ],
  [
    'no form of a mixed union',
    { path: 'a', size: 'smal' },
    '"search_files" refused its arguments. /size: expected integer or one of "small", "large", got "smal" (did you mean "small"?).',
  ],
  [
    'a number where text or null is wanted',
    { path: 'a', when: 5 },
    '"search_files" refused its arguments. /when: expected string or null, got 5.',
  ],
  [
    'a wrong value in a map',
    { path: 'a', env: { A: 5 } },
    '"search_files" refused its arguments. /env/A: expected string, got 5.',
  ],
  [
    'a wrong name in a map',
    { path: 'a', env: { a: '5' } },
    '"search_files" refused its arguments. /env: the name "a" is not allowed.',
  ],
  [
    'a forbidden argument',
    { path: 'a', none: 1 },
    '"search_files" refused its arguments. /none: expected nothing here, got 1.',
  ],
  [
    'a misspelled name',
    { path: 'a', pathh: 'b' },
    '"search_files" refused its arguments. /: no property "pathh" (did you mean "path"?).',
  ],
  [
    'an unknown name',
    { path: 'a', zzzzzz: 'b' },
    '"search_files" refused its arguments. /: no property "zzzzzz" (only: "path", "mode", "limit", "ratio", "deep", "tags", "filter", "target", "size", … (15)).',
  ],
  [
    '__proto__ as a name',
    '{"path":"a","__proto__":1}',
    '"search_files" refused its arguments. /: no property "__proto__" (only: "path", "mode", "limit", "ratio", "deep", "tags", "filter", "target", "size", … (15)).',
  ],
  [
    'constructor as a name',
    { path: 'a', constructor: 1 },
    '"search_files" refused its arguments. /: no property "constructor" (only: "path", "mode", "limit", "ratio", "deep", "tags", "filter", "target", "size", … (15)).',
  ],
  [
    'a pair of three',
    { path: 'a', pair: ['a', 1, 2] },
    '"search_files" refused its arguments. /pair/2: expected nothing here, got 2.',
  ],
  [
    'a pair the wrong way round',
    { path: 'a', pair: [1, 'a'] },
    '"search_files" refused its arguments. /pair/0: expected string, got 1. /pair/1: expected integer, got "a".',
  ],
  [
    'an excluded value',
    { path: 'a', odd: 3 },
    '"search_files" refused its arguments. /odd: expected another value, got 3.',
  ],
  [
    'a list without what it must contain',
    { path: 'a', list: ['x'] },
    '"search_files" refused its arguments. /list: expected at least 1 matching item, got an array of 1.',
  ],
  [
    'three mistakes at once',
    { path: 5, mode: 'raed', limit: 'ten' },
    '"search_files" refused its arguments. /path: expected string, got 5. /mode: expected one of "read", "write", "list", got "raed" (did you mean "read"?). /limit: expected integer, got "ten".',
  ],
  [
    'five mistakes at once',
    { path: 5, mode: 'raed', limit: 'ten', deep: 1, when: 5 },
    '"search_files" refused its arguments. /path: expected string, got 5. /mode: expected one of "read", "write", "list", got "raed" (did you mean "read"?). /limit: expected integer, got "ten". And 2 more.',
  ],
  [
    'text that was cut',
    '{"path":"a","mode":"re',
    'the arguments of "search_files" are not valid JSON at the end (position 22): it looks cut off, near `:"a","mode":"re`. Send one JSON object.',
  ],
  [
    'single quotes',
    "{'path':'a'}",
    "the arguments of \"search_files\" are not valid JSON at position 1, near `{'path':'a'}`. Send one JSON object.",
  ],
  [
    'a trailing comma',
    '{"path":"a",}',
    'the arguments of "search_files" are not valid JSON at position 12, near `{"path":"a",}`. Send one JSON object.',
  ],
  [
    'a bare name',
    '{path:"a"}',
    'the arguments of "search_files" are not valid JSON at position 1, near `{path:"a"}`. Send one JSON object.',
  ],
  [
    'prose before the JSON',
    'Sure! {"path":"a"}',
    'the arguments of "search_files" are not valid JSON at position 0, near `Sure! {"path":"`. Send one JSON object.',
  ],
  [
    'two objects',
    '{"path":"a"}{"path":"b"}',
    'the arguments of "search_files" are not valid JSON at position 12, near `{"path":"a"}{"path":"b"}`. Send one JSON object.',
  ],
  [
    'a list of arguments',
    '["a"]',
    'the arguments of "search_files" must be a JSON object, not an array, at position 0.',
  ],
  ['a bare number', '5', 'the arguments of "search_files" must be a JSON object, not a number, at position 0.'],
  ['a bare null', 'null', 'the arguments of "search_files" must be a JSON object, not null, at position 0.'],
  [
    'a string that holds no JSON',
    '"a"',
    'the arguments of "search_files" must be a JSON object, not a string, at position 0.',
  ],
  [
    'a code fence',
    '```json\n{"path":"a"}\n```',
    'the arguments of "search_files" are not valid JSON at position 0, near ````json {"path"`. Send one JSON object.',
  ],
  [
    'a comment',
    '{"path":"a" /* x */}',
    'the arguments of "search_files" are not valid JSON at position 12, near `{"path":"a" /* x */}`. Send one JSON object.',
  ],
  [
    'NaN',
    '{"path":"a","limit":NaN}',
    'the arguments of "search_files" are not valid JSON at position 20, near `h":"a","limit":NaN}`. Send one JSON object.',
  ],
  [
    'a line break in a string',
    '{"path":"a\nb"}',
    'the arguments of "search_files" are not valid JSON at position 10, near `{"path":"a b"}`. Send one JSON object.',
  ],
];

test.each(mistakes)('a model can correct this mistake from its text: %s', async (_, args, text) => {
  verifies('tools.errors.text.arguments', 'tools.execute.malformed');
  const { forLLM, code } = await registry.execute('search_files', args as string);
  expect(forLLM).toBe(`ARGUMENTS_INVALID: ${text}`);
  expect(code).toBe('ARGUMENTS_INVALID');
  expect(forLLM.length).toBeLessThanOrEqual(300);
  expect(forLLM).not.toMatch(/Error|\bat \w+ \(|node_modules|\.ts\b/);
});

test('three wrong fields with endless names and values still fit into 300 characters with the nearest value', async () => {
  verifies('tools.errors.text.arguments');
  const long = 'x'.repeat(300);
  const odd = `c/d~${'é'.repeat(80)}`;
  const wide = {
    type: 'object',
    properties: {
      [long]: { type: 'integer' },
      b: { enum: Array.from({ length: 500 }, (_, index) => `value_number_${index}`) },
      [odd]: { type: 'string', pattern: `^${'a'.repeat(200)}$` },
    },
  };
  const name = 'n'.repeat(64);
  const { forLLM } = await createRegistry([bindTool({ name, description: '', parameters: wide }, () => 1)]).execute(
    name,
    {
      [long]: 'y'.repeat(1000),
      b: 'value_numer_77',
      [odd]: '😀'.repeat(500),
    },
  );
  expect(forLLM.length).toBeLessThanOrEqual(300);
  expect(forLLM).toContain('(did you mean "value_number_77"?)');
  expect(Buffer.from(forLLM).toString()).toBe(forLLM); // no half character at a cut
});
