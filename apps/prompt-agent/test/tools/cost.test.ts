import { verifies } from '@kernel/testing';
import { memoryWorkspace } from '@kernel/toolbox';
import { createRegistry } from '@kernel/tools';
import { expect, test } from 'vitest';
import { TOOL_PHRASES } from '../../src/offline/tool-phrases.ts';
import { builtInTools } from '../../src/tools/built-in-tools.ts';

test('the description and schema of each tool have less than 250 tokens, all together less than 1,250, and all only read', () => {
  verifies('cli.tools.cost');
  const tools = createRegistry(builtInTools(memoryWorkspace())).list();
  const costs = tools.map(({ description, name, parameters }) => ({
    name,
    // About four characters to a token.
    tokens: Math.ceil(JSON.stringify({ name, description, parameters }).length / 4),
  }));
  expect(costs.filter(({ tokens }) => tokens >= 250)).toEqual([]);
  expect(costs.reduce((sum, { tokens }) => sum + tokens, 0)).toBeLessThan(1250);
  expect(new Set(tools.map(({ effect }) => effect))).toEqual(new Set(['read']));
  console.log(costs.map(({ name, tokens }) => `${name} ${tokens}`).join(', '));
});

test('no two phrases of the tools have the same words', () => {
  verifies('cli.offline.phrases');
  const phrases = Object.values(TOOL_PHRASES)
    .flat()
    .map(({ input, text }) => `${text} ${String('text' in input)}`);
  expect(phrases.filter((phrase, index) => phrases.indexOf(phrase) !== index)).toEqual([]);
});
