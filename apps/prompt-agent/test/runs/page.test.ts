import { mkdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { agentAsTool, run } from '@kernel/agent';
import { openDurable } from '@kernel/durable';
import { KernelError } from '@kernel/protocol';
import { scriptedProvider, verifies } from '@kernel/testing';
import { createRegistry, defineTool } from '@kernel/tools';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { promptHere, workspace } from '../program.ts';

const HOSTILE = '<script>alert(1)</script><img src=x onerror=alert(2)>';

/** Runs three agents in a journal: one with an agent within a call, one that waits, one that fails. Returns the folder. */
async function journaled(): Promise<string> {
  const cwd = workspace({ 'a.txt': 'x' });
  mkdirSync(cwd, { recursive: true });
  const db = openDurable(join(cwd, 'runs.db'));
  const look = defineTool({
    name: 'look',
    description: 'Looks.',
    effect: 'read',
    input: z.object({ at: z.string() }),
    handler: ({ at }) => `Seen: ${at}`,
  });
  const model = 'm';
  const inner = scriptedProvider([
    { calls: [{ name: 'look', id: 'c2', arguments: { at: HOSTILE } }] },
    { text: `The helper says ${HOSTILE}` },
  ]);
  const helper = agentAsTool({
    name: 'helper',
    description: 'Helps.',
    run: { provider: inner, model, tools: createRegistry([look]) },
  });
  const outer = scriptedProvider([
    {
      calls: [{ name: 'helper', id: 'c1', arguments: { task: HOSTILE } }],
      usage: { inputTokens: 1200, outputTokens: 34 },
    },
    { text: `# It is done\n\n${HOSTILE}`, usage: { inputTokens: 1400, outputTokens: 12 } },
  ]);
  const asks = scriptedProvider([{ calls: [{ name: 'look', id: 'c3', arguments: { at: 'home' } }] }, { text: 'ok' }]);
  const fails = scriptedProvider([{ error: new KernelError('PROVIDER_HTTP', `no ${HOSTILE}`) }]);
  const worker = db.work({
    agents: {
      [`support ${HOSTILE}`]: { run: (on) => run({ provider: outer, model, tools: createRegistry([helper]), ...on }) },
      asks: {
        approve: () => ({ decision: 'later' }),
        run: (on) =>
          run({
            provider: asks,
            model,
            tools: createRegistry([{ ...look, tool: { ...look.tool, effect: 'external' } }]),
            ...on,
          }),
      },
      fails: { run: (on) => run({ provider: fails, model, ...on }) },
    },
  });
  const messages = [{ role: 'user', content: `Please help: ${HOSTILE}` }] as const;
  await db.start(`ticket-${HOSTILE}`, { agent: `support ${HOSTILE}`, messages });
  await db.start('waits', { agent: 'asks', messages });
  await db.start('fails', { agent: 'fails', messages });
  await Promise.all([db.result(`ticket-${HOSTILE}`), db.result('fails')]);
  await expect.poll(async () => (await db.status('waits'))?.status).toBe('waiting');
  await worker.drain();
  db.close();
  return cwd;
}

const page = async (cwd: string, id: string): Promise<string> => {
  const { code, stdout } = await promptHere(['runs', 'show', id, '--journal', 'runs.db', '--html'], { cwd });
  expect(code).toBe(0);
  return stdout;
};

test('runs show --html writes everything that happened in a run as one self-contained page, with every text escaped', async () => {
  verifies('cli.runs.page');
  const cwd = await journaled();
  const text = await page(cwd, `ticket-${HOSTILE}`);
  expect(text.match(/<script>/g)).toHaveLength(1);
  expect(text).not.toContain('<img');
  expect(text).not.toMatch(/(?:src|href)="(?!#)/);
  expect(text).toContain("default-src 'none'");
  // The agent within the call is under it, with its own reply and call.
  const [, , ...after] = text.split('helper');
  expect(after.join('helper')).toContain('The helper says &lt;script&gt;');
  expect(text).toContain('Seen: &lt;script&gt;');
  expect(text).toContain('Please help: &lt;script&gt;');
  expect(text).toContain('2,600 in, 46 out');
  expect(text).toMatch(/Status<\/dt>\s*<dd><code>done/);
});

test('the page of a run that waits names the call, and that of one that failed its error', async () => {
  verifies('cli.runs.page');
  const cwd = await journaled();
  const waits = await page(cwd, 'waits');
  expect(waits).toMatch(/Waiting<\/dt>\s*<dd><code>c3/);
  expect(waits).toContain('asked');
  expect(waits).toContain('<strong>waits for approval</strong>');
  expect(await page(cwd, 'fails')).toContain('no &lt;script&gt;');
});

test('runs show --html -o writes a file that only its owner can read', async () => {
  verifies('cli.runs.page');
  const cwd = await journaled();
  const args = ['runs', 'show', 'waits', '--journal', 'runs.db'];
  expect(await promptHere([...args, '--html', '-o', 'run.html'], { cwd })).toMatchObject({ code: 0, stdout: '' });
  expect(readFileSync(join(cwd, 'run.html'), 'utf8')).toMatch(/^<!doctype html>/);
  expect(statSync(join(cwd, 'run.html')).mode & 0o777).toBe(0o600);
  expect((await promptHere([...args, '--html', '--json'], { cwd })).stderr).toContain(
    '--json and --html exclude each other',
  );
  expect((await promptHere([...args, '-o', 'x'], { cwd })).stderr).toContain('--output needs --html');
});
