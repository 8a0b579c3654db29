import type { Tool } from '@kernel/protocol';
import { toolSchema } from '@kernel/protocol/schemas';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { TOOL_CATEGORIES, bindTool, createRegistry, toolPrompt } from '../../src/index.ts';
import { caught, simple } from '../support.ts';

const parameters = {
  type: 'object',
  properties: {
    path: { type: 'string', description: 'Where.' },
    depth: { type: 'integer' },
    mode: { enum: ['a', 'b'] },
  },
  required: ['path'],
};
const metadata = {
  category: 'code',
  optionality: 'required',
  usageHint: 'Read before writing.',
  examples: [{ description: 'read a file', input: { path: 'a.ts' }, output: 'text' }],
  requires: ['git'],
  tags: ['fs'],
} as const;

test('metadata takes its six fields, all optional, and is kept as given', () => {
  verifies('tools.metadata.fields', 'tool.fields');
  expect(simple('a', { parameters, metadata }).tool.metadata).toEqual(metadata);
  expect(simple('a', { metadata: {} }).tool.metadata).toEqual({});
  expect(createRegistry([simple('a')]).listByOptionality('optional')).toHaveLength(1);
});

test.each([
  ['category', 5],
  ['optionality', 'sometimes'],
  ['usageHint', []],
  ['examples', [{ input: {} }]],
  ['examples', 'x'],
  ['requires', 'git'],
  ['phrases', []],
  ['tags', [1]],
  ['color', 'red'],
])('an invalid metadata value is rejected with its JSON pointer: %s = %j', (field, value) => {
  verifies('tools.metadata.fields');
  const error = caught(() => simple('a', { metadata: { [field]: value } }));
  expect([error.code, error.data?.['pointer']]).toEqual(['TOOL_SCHEMA_INVALID', `/metadata/${field}`]);
});

test('the six standard categories are exported, and any other word is allowed', () => {
  verifies('tools.metadata.categories');
  expect(Object.values(TOOL_CATEGORIES)).toEqual(['code', 'vcs', 'build', 'research', 'publish', 'utility']);
  expect(simple('a', { metadata: { category: 'astronomy' } }).tool.metadata?.category).toBe('astronomy');
});

test('an example that does not match the parameters is rejected by its description', () => {
  verifies('tools.metadata.examples');
  const examples = [
    { description: 'fine', input: { path: 'a' } },
    { description: 'read nothing', input: { depth: 'x' } },
  ];
  const error = caught(() => simple('a', { parameters, metadata: { examples } }));
  expect(error.code).toBe('TOOL_SCHEMA_INVALID');
  expect(error.message).toContain('example "read nothing"');
  expect(error.data?.['pointer']).toContain('/metadata/examples/1/input');
});

test('a JSON array of tools becomes bindings unchanged, and an invalid entry is rejected with its index and path', () => {
  verifies('tool.json');
  const text = JSON.stringify([
    { name: 'a', description: 'A.', parameters },
    { name: 'b', description: 'B.', parameters: { type: 'object' } },
  ]);
  const tools: Tool[] = toolSchema.array().parse(JSON.parse(text));
  expect(createRegistry(tools.map((tool) => bindTool(tool, () => 1))).list()).toEqual(JSON.parse(text));
  const wrong = toolSchema.array().safeParse([
    { name: 'a', description: 'A.', parameters },
    { name: 'b', description: 5, parameters },
  ]);
  expect(wrong.error?.issues.map((issue) => issue.path)).toEqual([[1, 'description']]);
});

const tools = [
  simple('git', { description: 'Runs git.', metadata: { category: 'vcs' } }),
  simple('search', { description: 'Searches.', metadata: { category: 'code' } }),
  simple('file', { description: 'Reads files.', parameters, metadata }),
  simple('plain', { description: 'Plain.' }),
].map((binding) => binding.tool);

test('the prompt lists tools by category, required before optional, with parameters, hints and examples by tier', () => {
  verifies('tools.metadata.prompt');
  expect(toolPrompt(tools, { tier: 'full' })).toBe(
    [
      '## code',
      '- `file` (required): Reads files.',
      '  - path (string, required): Where.',
      '  - depth (integer)',
      '  - mode (one of "a", "b")',
      '  Use: Read before writing.',
      '  Example: read a file: {"path":"a.ts"} -> text',
      '- `search` (optional): Searches.',
      '',
      '## other',
      '- `plain` (optional): Plain.',
      '',
      '## vcs',
      '- `git` (optional): Runs git.',
    ].join('\n'),
  );
  expect(toolPrompt(tools)).not.toContain('Example');
  expect(toolPrompt(tools, { tier: 'brief' })).not.toContain('path');
  expect(toolPrompt(tools)).toBe(toolPrompt(tools));
});

test('a prompt keeps within its tokens by saying less, then by omitting tools', () => {
  verifies('tools.metadata.prompt');
  for (const maxTokens of [5, 10, 20, 30, 60, 100]) {
    const text = toolPrompt(tools, { tier: 'full', maxTokens });
    expect(text.length).toBeLessThanOrEqual(maxTokens * 4);
  }
  expect(toolPrompt(tools, { tier: 'full', maxTokens: 30 })).toContain('more tool');
});
