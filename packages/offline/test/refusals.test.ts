import { KernelError, type Tool, type ToolEffect } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { ask, callsFor, workTools } from './fixtures.ts';

const refused = (error: unknown): boolean => KernelError.is(error, 'PROVIDER_REFUSED');

const calculator: Tool = {
  name: 'calculate',
  description: 'Calculates an arithmetic expression.',
  effect: 'read',
  parameters: { type: 'object', properties: { expression: { type: 'string' } }, required: ['expression'] },
};

const paint = (effect: ToolEffect | undefined): Tool => ({
  name: 'paint',
  description: 'Paints a fence.',
  parameters: { type: 'object', properties: {} },
  ...(effect === undefined ? {} : { effect }),
});

test.each(['write', 'idempotent', 'external', undefined] as const)(
  'a tool with effect %s is never run: nobody can say what the prompt meant',
  async (effect) => {
    verifies('offline.readOnly');
    expect(await callsFor('paint the fence', [paint('read')])).toEqual(['paint {}']);
    await expect(ask('paint the fence', [paint(effect)])).rejects.toSatisfy(refused);
    await expect(ask('paint the fence', [paint(effect)], { toolChoice: { name: 'paint' } })).rejects.toSatisfy(refused);
  },
);

test.each([
  'not',
  'never',
  'without',
  'except',
  'but',
  'only',
  'instead',
  'rather than',
  'other than',
  'unless',
  'if',
  'excluding',
  "don't",
  'don’t',
  'nicht',
  'ohne',
  'or',
  'outside',
  'nah',
  'scratch that',
])('a prompt with "%s" is refused, and the word is named', async (word) => {
  verifies('offline.negation');
  for (const prompt of [
    `list packages ${word} apps`,
    `${word} list packages`,
    `list packages and ${word} read LICENSE`,
  ])
    await expect(ask(prompt, workTools)).rejects.toMatchObject({
      code: 'PROVIDER_REFUSED',
      message: expect.stringContaining(`it does not understand "${word}"`),
    });
});

test.each([
  ['grep -v version LICENSE', '-v'],
  ['grep --invert-match version', '--invert-match'],
  ['ls -R packages', '-R'],
  ['list the files in all folders', 'all folders'],
  ['read LICENSE and tell Bob', 'tell Bob'],
  ['where is README.md', 'where is'],
  ['when was README.md written', 'when was'],
  ['what is 50 + 20%', '+ 20%'],
  ['what is 50 minus 20 percent', 'minus 20 percent'],
  ['what is the root of 9 squared', 'root of'],
  ['what is 7 mod -3', 'mod -3'],
  ['what is 1 + 2 + ... + 10', '...'],
  ['how to read LICENSE', 'how to'],
  ['read LICENSE, actually README.md', 'actually'],
  ['add 3 and 4 then multiply by 2', 'then multiply'],
  ['show LICENSE as JSON', 'as JSON'],
  ['find big files in packages', 'big files'],
  ['list imports of LICENSE', 'imports of'],
  ['find words starting with li', 'starting with'],
])('what could turn the request is refused, and named: "%s"', async (prompt, named) => {
  verifies('offline.negation');
  await expect(ask(prompt, [...workTools, calculator])).rejects.toMatchObject({
    code: 'PROVIDER_REFUSED',
    message: expect.stringContaining(`it does not understand "${named}"`),
  });
});

test.each([
  ['what date is it next month?', 'next'],
  ['what day is it next week?', 'next'],
  ['what year is it next year?', 'next'],
  ['what time is it next hour?', 'next'],
  ['what time is it in Tokyo and next month in Berlin', 'next'],
  ['what time will it be in Tokyo', 'will it'],
  ['what date is it in about a month', 'a month'],
  ['what date is it one month from then', 'one month'],
  ['what day is it on the week', 'on the week'],
])('another time is no question for the time now: "%s"', async (prompt, named) => {
  verifies('offline.negation');
  await expect(ask(prompt, workTools)).rejects.toMatchObject({
    code: 'PROVIDER_REFUSED',
    message: expect.stringContaining(`it does not understand "${named}"`),
  });
});

test.each([
  'which files mention bindTool and createRegistry under packages/tools/src?',
  'which files mention zod and valibot',
  'which files in src use zod and valibot',
  'find all files that import zod and valibot',
  'find uses of zod and valibot',
  'where are zod and valibot used',
  'search for bindTool and createRegistry',
  'grep createRegistry and bindTool in packages',
])('two things are not searched for as one text: "%s"', async (prompt) => {
  verifies('offline.negation');
  await expect(callsFor(prompt, workTools)).rejects.toSatisfy(refused);
});

test.each([
  'what is 3:30 + 1:45',
  '12:30 - 1',
  'sum of 1 to 10',
  'what is 2024/02/30',
  'what is 1/2/2024',
  'what is the difference between 3 and 10',
])('no part of "%s" is calculated', async (prompt) => {
  verifies('offline.negation');
  await expect(ask(prompt, [calculator])).rejects.toSatisfy(refused);
});

test('a place that is no part of a search is refused, and harmless flags are not', async () => {
  verifies('offline.negation');
  await expect(callsFor('search for version in docs and packages', workTools)).rejects.toSatisfy(refused);
  expect(await callsFor('grep -rn version docs', workTools)).toEqual(['search_text {"query":"version","path":"docs"}']);
});

test('such a word in a quotation, in a path or within another word is no negation', async () => {
  verifies('offline.negation');
  expect(await callsFor('search for "not only" in docs', workTools)).toEqual([
    'search_text {"query":"not only","path":"docs"}',
  ]);
  expect(await callsFor('read not.txt', workTools)).toEqual(['read_file {"path":"not.txt"}']);
  expect(await callsFor('read notes.md', workTools)).toEqual(['read_file {"path":"notes.md"}']);
});

const convert: Tool = {
  name: 'convert_units',
  description: 'Converts a value from one unit to another.',
  effect: 'read',
  parameters: {
    type: 'object',
    properties: { value: { type: 'number' }, from: { type: 'string' }, to: { type: 'string' } },
    required: ['value', 'from', 'to'],
  },
};
const route: Tool = {
  name: 'route',
  description: 'Finds the route between two cities.',
  effect: 'read',
  parameters: {
    type: 'object',
    properties: { origin: { type: 'string' }, destination: { type: 'string' } },
    required: ['origin', 'destination'],
  },
};

test.each([
  [convert, 'convert 5 km to miles', { value: 5, from: 'km', to: 'miles' }],
  [convert, 'convert 5 from km to miles', { value: 5, from: 'km', to: 'miles' }],
  [convert, 'convert 5 to miles from km', { value: 5, from: 'km', to: 'miles' }],
  [convert, 'convert 5 km into miles', { value: 5, from: 'km', to: 'miles' }],
  [convert, 'convert to miles 5 km', { value: 5, from: 'km', to: 'miles' }],
  [convert, 'convert 5 miles km', undefined],
  [route, 'find the route from Oslo to Rome', { origin: 'Oslo', destination: 'Rome' }],
  [route, 'find the route to Rome from Oslo', { origin: 'Oslo', destination: 'Rome' }],
  [route, 'find the route Oslo Rome', undefined],
])('source and destination are never inverted: %o "%s"', async (tool, prompt, input) => {
  verifies('offline.direction');
  const calls = await callsFor(prompt, [tool]).catch((error: unknown) => {
    if (refused(error)) return [];
    throw error;
  });
  // A refusal is always right; a call must have the right direction.
  const right = input === undefined ? [] : [`${tool.name} ${JSON.stringify(input)}`];
  expect([[], right]).toContainEqual(calls);
});

const NAMES: readonly (readonly [string, string])[] = [
  ['src', 'dst'],
  ['source', 'destination'],
  ['from', 'to'],
  ['path', 'new_path'],
  ['path', 'to'],
  ['file', 'new_name'],
  ['old_path', 'new_path'],
];

test.each(NAMES)('a file is moved in the direction that was meant, or not at all: %s, %s', async (source, target) => {
  verifies('offline.direction');
  const named = (name: string, description: string): Tool => ({
    name,
    description,
    effect: 'read',
    parameters: {
      type: 'object',
      properties: { [source]: { type: 'string' }, [target]: { type: 'string' } },
      required: [source, target],
    },
  });
  const move = named('move_file', 'Moves or renames a file.');
  const turned: Tool = {
    ...move,
    parameters: {
      type: 'object',
      properties: { [target]: { type: 'string' }, [source]: { type: 'string' } },
      required: [target, source],
    },
  };
  const right = { [source]: 'a.txt', [target]: 'b.txt' };
  for (const tool of [move, turned])
    for (const prompt of [
      'move a.txt to b.txt',
      'rename a.txt as b.txt',
      'move the file a.txt to b.txt',
      'move to b.txt the file a.txt',
      'move to b.txt a.txt',
      'to b.txt move a.txt',
      'to b.txt, move the file a.txt',
      'rename to b.txt: a.txt',
      'rename to b.txt the file a.txt',
      'rename into b.txt: a.txt',
      'move into b.txt what is a.txt',
      'b.txt is where a.txt should be moved to',
      'b.txt from a.txt, rename it',
      'move to b.txt from a.txt',
      'rename as b.txt the file a.txt',
      'move to: b.txt, from: a.txt',
      'move a.txt: to b.txt',
      'rename to "b.txt" "a.txt"',
      'to the path b.txt, move a.txt',
      'move it over b.txt, the file a.txt',
      'move in place of b.txt a.txt',
    ]) {
      const calls = await callsFor(prompt, [tool]).catch((error: unknown) => {
        if (refused(error)) return [];
        throw error;
      });
      const inputs = calls.map((call): unknown => JSON.parse(call.slice(call.indexOf('{'))));
      for (const input of inputs) expect.soft(input, prompt).toEqual(right);
    }
});
