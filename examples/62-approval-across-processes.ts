// A run stops at a question; another process answers it, and the run goes on there. The session file is all they share.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Approve, collect, runSession } from '@kernel/agent';
import { openFileSession } from '@kernel/agent/session-file';
import { scriptedProvider } from '@kernel/testing';
import { createRegistry, defineTool } from '@kernel/tools';
import * as z from 'zod';

const pay = defineTool({
  name: 'pay',
  description: 'Pays an invoice.',
  effect: 'external',
  input: z.object({ invoice: z.string(), euros: z.number() }),
  handler: ({ invoice, euros }, { idempotencyKey }) => `Paid ${euros} EUR for ${invoice} (${typeof idempotencyKey}).`,
});
const tools = createRegistry([pay]);

async function goOn(file: string, isNew: boolean, approve: Approve) {
  const session = await openFileSession(file);
  const script = isNew ? [{ calls: [{ name: 'pay', arguments: { invoice: 'A-7', euros: 40 } }] }] : [{ text: 'Paid.' }];
  const messages = isNew ? [{ role: 'user', content: 'Pay invoice A-7.' } as const] : [];
  try {
    return await collect(
      runSession({ session, provider: scriptedProvider(script), model: 'm', tools, messages, approve }),
    );
  } finally {
    await session.close();
  }
}

const [file, digest] = process.argv.slice(2);
if (file !== undefined) {
  // The other process: the decision counts for exactly what was shown, told by its digest.
  const result = await goOn(file, false, () => ({ decision: 'allow', digest }));
  console.log(result.reason, result.toolCalls[0]?.result.forLLM);
} else {
  const folder = mkdtempSync(join(tmpdir(), 'kernel-example-'));
  const path = join(folder, 'session.jsonl');
  const first = await goOn(path, true, () => ({ decision: 'later' }));
  if (first.reason !== 'approval') throw new Error(first.reason);
  const [question] = first.pending;
  console.log(`${question?.name} ${question?.arguments}?`);
  const program = [import.meta.filename, path, question?.digest ?? ''];
  const output = execFileSync(process.execPath, program, { encoding: 'utf8' });
  assert.equal(output.trim(), 'done Paid 40 EUR for A-7 (string).');
  console.log(output.trim());
  rmSync(folder, { recursive: true });
}
