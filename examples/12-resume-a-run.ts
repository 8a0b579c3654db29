// A conversation in a file: it stops for an approval, the process ends, and another process continues it.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { collect, runSession } from '@kernel/agent';
import { openFileSession } from '@kernel/agent/session-file';
import { scriptedProvider } from '@kernel/testing';
import { createRegistry, defineTool } from '@kernel/tools';
import * as z from 'zod';

const sent: string[] = [];
const tools = createRegistry([
  defineTool({
    name: 'send_mail',
    description: 'Sends a mail.',
    effect: 'external',
    input: z.object({ to: z.string() }),
    handler: ({ to }) => {
      sent.push(to);
      return 'Sent.';
    },
  }),
]);
const folder = await mkdtemp(join(tmpdir(), 'kernel-'));
const path = join(folder, 'conversation.jsonl');

// Monday: nobody is there to decide.
const monday = await openFileSession(path);
const first = await collect(
  runSession({
    session: monday,
    provider: scriptedProvider([{ calls: [{ name: 'send_mail', arguments: { to: 'ada@example.com' } }] }]),
    model: 'any-model',
    messages: [{ role: 'user', content: 'Write to Ada.' }],
    tools,
    approve: () => ({ decision: 'later' }),
  }),
);
assert.equal(first.reason, 'approval');
await monday.close();

// Tuesday, another process: approval of the pending call is requested again, and the run continues.
const tuesday = await openFileSession(path);
const second = await collect(
  runSession({
    session: tuesday,
    provider: scriptedProvider([{ text: 'Ada has her mail.' }]),
    model: 'any-model',
    tools,
    approve: () => ({ decision: 'allow' }),
  }),
);
await tuesday.close();
await rm(folder, { recursive: true });

assert.equal(second.reason === 'done' && second.answer, 'Ada has her mail.');
assert.deepEqual(sent, ['ada@example.com']);
console.log(second.messages.map((message) => message.role).join(' → '));
