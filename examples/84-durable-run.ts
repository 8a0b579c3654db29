// A run that outlives its process: its steps are in a file, and a decision may come from anywhere, days later.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '@kernel/agent';
import { openDurable } from '@kernel/durable';
import { scriptedProvider } from '@kernel/testing';
import { createRegistry, defineTool } from '@kernel/tools';
import * as z from 'zod';

const folder = mkdtempSync(join(tmpdir(), 'kernel-example-'));
const mail = defineTool({
  name: 'send_mail',
  description: 'Sends a mail.',
  effect: 'external',
  input: z.object({ to: z.string() }),
  handler: ({ to }, { idempotencyKey }) => `Sent to ${to} as ${idempotencyKey}.`,
});
const provider = scriptedProvider([
  { calls: [{ name: 'send_mail', id: 'c1', arguments: { to: 'Ada' } }] },
  { text: 'Done.' },
]);
const tools = createRegistry([mail]);

const db = openDurable(join(folder, 'runs.db'));
const worker = db.work({
  agents: {
    support: {
      approve: () => ({ decision: 'later' }),
      run: (context) => run({ provider, model: 'm', tools, ...context }),
    },
  },
});
await db.start('ticket-42', { agent: 'support', messages: [{ role: 'user', content: 'Write to Ada.' }] });

// Any process with access to the file can list the waiting calls and decide on them, even before a call is made.
await db.decide('ticket-42', 'c1', { decision: 'allow' });
const { status, result } = await db.result('ticket-42');
console.log(status, result?.answer);
assert.equal(result?.answer, 'Done.');
await worker.drain();
db.close();
rmSync(folder, { recursive: true });
