import { mockTool, mockToolset } from '@kernel/testing';
import { expect, it } from 'vitest';
import { formerNames } from '../src/approval/former-names.ts';

const NAMES = ['read_file', 'mcp__files__write', 'mcp__files__read', 'mcp__my_box__a.b'];
const TOOLS = mockToolset(NAMES.map((name) => mockTool(name, '')));

it.each([
  [{ deny: 'files_write' }, ['files_write', 'mcp__files__write']],
  [{ ask: 'read_file|files_write(src/**)' }, ['files_write', 'mcp__files__write']],
  [{ deny: 'files_*' }, ['files_*', 'mcp__files__write|mcp__files__read']],
  [{ deny: 'my_box_a.b' }, ['my_box_a.b', 'mcp__my_box__a.b']],
])('a rule that asks or denies by the former name of a tool is told: %j', (rule, [former = '', now = '']) => {
  expect(formerNames([rule], TOOLS)).toEqual([
    `The rule ${JSON.stringify(rule)} is about no tool. Write ${now} instead of ${former}.`,
  ]);
});

it.each([{ allow: 'files_write' }, { deny: 'mcp__files__write' }, { deny: '*' }, { deny: 'none' }, { ask: '*_file' }])(
  'a rule that allows, matches a tool or names none of a server is not told: %j',
  (rule) => {
    expect(formerNames([rule], TOOLS)).toEqual([]);
  },
);
