// A run stops for approval; another process decides, and the run continues there. They share only the session file.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { collect, runSession } from '@kernel/agent';
import { openFileSession } from '@kernel/agent/session-file';
import type { Message, Approve } from '@kernel/protocol';
import { type ScriptStep, scriptedProvider } from '@kernel/testing';
import { createRegistry, defineTool } from '@kernel/tools';
import * as z from 'zod';

const pay = defineTool({
  name: 'pay',
  description: 'Pays an invoice.',
  effect: 'external',
  input: z.object({ invoice: z.string(), euros: z.number() }),
  handler: ({ invoice, euros }) => `Paid ${euros} EUR for ${invoice}.`,
});
const tools = createRegistry([pay]);

async function resumeRun(file: string, script: readonly ScriptStep[], messages: readonly Message[], approve: Approve) {
  const session = await openFileSession(file);
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
  const result = await resumeRun(file, [{ text: 'Paid.' }], [], () => ({ decision: 'allow', digest }));
  console.log(result.reason, result.toolCalls[0]?.result.forLLM);
} else {
  const folder = mkdtempSync(join(tmpdir(), 'kernel-example-'));
  const path = join(folder, 'session.jsonl');
  const script = [{ calls: [{ name: 'pay', arguments: { invoice: 'A-7', euros: 40 } }] }];
  const messages = [{ role: 'user', content: 'Pay invoice A-7.' }] as const;
  const first = await resumeRun(path, script, messages, () => ({ decision: 'later' }));
  if (first.reason !== 'approval') throw new Error(first.reason);
  const [question] = first.pending;
  console.log(`${question?.name} ${question?.arguments}?`);
  const program = [import.meta.filename, path, question?.digest ?? ''];
  const output = execFileSync(process.execPath, program, { encoding: 'utf8' });
  assert.equal(output.trim(), 'done Paid 40 EUR for A-7.');
  console.log(output.trim());
  rmSync(folder, { recursive: true });
}
