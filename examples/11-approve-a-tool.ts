// A person decides about tools that change something: allow, deny with a reason, edit, or later.
import type { Approve } from '@kernel/protocol';
import assert from 'node:assert/strict';
import { collect, rememberApprovals, run } from '@kernel/agent';
import { scriptedProvider } from '@kernel/testing';
import { createRegistry, defineTool } from '@kernel/tools';
import * as z from 'zod';

const deleted: string[] = [];
const tools = createRegistry([
  defineTool({
    name: 'list_files',
    description: 'Lists the files.',
    effect: 'read', // needs no approval
    input: z.object({}),
    handler: () => ['a.tmp', 'keep.md'],
  }),
  defineTool({
    name: 'delete_file',
    description: 'Deletes a file.',
    effect: 'write',
    input: z.object({ path: z.string() }),
    handler: ({ path }) => {
      deleted.push(path);
      return `Deleted ${path}.`;
    },
  }),
]);

const asked: string[] = [];
const ask: Approve = ({ call, tool }) => {
  asked.push(`${tool.name} ${call.arguments}`);
  return call.arguments.includes('.tmp') ? { decision: 'allow' } : { decision: 'deny', reason: 'only temporary files' };
};

const remove = (path: string) => ({ name: 'delete_file', arguments: { path } });
const provider = scriptedProvider([
  { calls: [{ name: 'list_files' }] },
  { calls: [remove('a.tmp'), remove('keep.md')] },
  { calls: [remove('a.tmp')] }, // the same call again: the decision is remembered
  { text: 'I removed a.tmp and left keep.md.' },
]);
const messages = [{ role: 'user', content: 'Clean up.' }] as const;
const result = await collect(run({ provider, model: 'any-model', messages, tools, approve: rememberApprovals(ask) }));

assert.equal(result.reason, 'done');
assert.deepEqual(deleted, ['a.tmp', 'a.tmp']);
assert.deepEqual(asked, ['delete_file {"path":"a.tmp"}', 'delete_file {"path":"keep.md"}']);
for (const { call, result: outcome } of result.toolCalls)
  console.log(call.name, call.arguments, outcome.outcome ?? 'done');
