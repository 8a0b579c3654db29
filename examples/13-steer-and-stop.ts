// Messages for a running run: a steering message arrives before the next model call, a follow-up after the answer.
import assert from 'node:assert/strict';
import { collect, createSteering, run } from '@kernel/agent';
import { textOf } from '@kernel/protocol';
import { scriptedProvider } from '@kernel/testing';
import { createRegistry, defineTool } from '@kernel/tools';
import * as z from 'zod';

const steering = createSteering();
const tools = createRegistry([
  defineTool({
    name: 'search',
    description: 'Searches a folder.',
    effect: 'read',
    input: z.object({ folder: z.string() }),
    handler: ({ folder }) => {
      if (folder === 'old') steering.steer('Not the old folder, please.');
      return `nothing in ${folder}`;
    },
  }),
]);
steering.followUp('Thanks. And how many folders did you search?');
const search = (folder: string) => ({ name: 'search', arguments: { folder } });
const provider = scriptedProvider([
  { calls: [search('old'), search('older')] }, // the second is skipped: the message came first
  { text: 'I left the old folders alone.' },
  { text: 'One.' },
]);
const messages = [{ role: 'user', content: 'Find my notes.' }] as const;
const limits = { parallel: 1 };
const result = await collect(run({ provider, model: 'any-model', messages, tools, steering, limits }));

assert.equal(result.reason === 'done' && result.answer, 'One.');
for (const message of result.messages) console.log(`${message.role}: ${textOf(message)}`);
assert.match(textOf(result.messages[3] ?? messages[0]), /TOOL_SKIPPED/);
