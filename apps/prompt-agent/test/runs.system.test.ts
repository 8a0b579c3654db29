import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '@kernel/agent';
import { type Durable, type DurableAgent, openDurable } from '@kernel/durable';
import { scriptedProvider, verifies } from '@kernel/testing';
import { createRegistry, defineTool } from '@kernel/tools';
import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { type Outcome, prompt, promptHere, workspace } from './program.ts';

const messages = [{ role: 'user', content: 'Go' }] as const;

type Replies = Parameters<typeof scriptedProvider>[0];

/** An agent whose calls wait for a decision. */
function agentOf(replies: Replies, version = '1'): DurableAgent {
  const send = defineTool({
    name: 'send_mail',
    description: 'Sends a mail.',
    effect: 'external',
    input: z.object({ to: z.string() }),
    handler: ({ to }) => `Sent to ${to}.`,
  });
  const provider = scriptedProvider(replies);
  const tools = createRegistry([send]);
  return {
    version,
    approve: () => ({ decision: 'later' }),
    run: (context) => run({ provider, model: 'm', tools, ...context }),
  };
}

const mail = (id: string, to = 'Ada') => ({ name: 'send_mail', id, arguments: { to } });

interface Journal {
  readonly db: Durable;
  /** Its file. */
  readonly path: string;
  /** Runs the program on the journal. */
  readonly runs: (...args: readonly string[]) => Promise<Outcome>;
  /** Starts a worker; `drain` stops it. */
  readonly work: (agents: Readonly<Record<string, DurableAgent>>) => { readonly drain: () => Promise<unknown> };
}

/** A journal in the place where the program looks for it. */
function journal(): Journal {
  const cwd = workspace({ 'a.txt': 'x' });
  const folder = join(cwd, 'state', 'prompt-agent');
  mkdirSync(folder, { recursive: true });
  const path = join(folder, 'runs.db');
  const db = openDurable(path);
  onTestFinished(() => db.close());
  return {
    db,
    path,
    runs: (...args) => promptHere(['runs', ...args], { cwd, env: { XDG_STATE_HOME: join(cwd, 'state') } }),
    work(agents) {
      const worker = db.work({ agents });
      onTestFinished(async () => {
        await worker.drain(0);
      });
      return { drain: () => worker.drain() };
    },
  };
}

async function reaches(db: Durable, id: string, status: string): Promise<void> {
  await expect.poll(async () => (await db.status(id))?.status).toBe(status);
}

/** A journal with a run whose calls wait and no worker, so that nothing moves but what the program does. */
async function waitingRun(...calls: readonly ReturnType<typeof mail>[]): Promise<Journal> {
  const made = journal();
  const worker = made.work({ support: agentOf([{ calls }, { text: 'Done.' }]) });
  await made.db.start('ticket-42', { agent: 'support', messages });
  await reaches(made.db, 'ticket-42', 'waiting');
  await worker.drain();
  return made;
}

test('runs cancel ends a run once, and one that runs is aborted by its worker', async () => {
  verifies('cli.runs.cancel');
  const { db, runs, work } = await waitingRun(mail('c1'));
  expect(await runs('cancel', 'ticket-42')).toMatchObject({ code: 0, stderr: 'cancelled: ticket-42\n' });
  expect((await db.status('ticket-42'))?.status).toBe('cancelled');
  const over = await runs('cancel', 'ticket-42');
  expect(over).toMatchObject({ code: 1, stdout: '' });
  expect(over.stderr).toContain('The run "ticket-42" is over already: it is cancelled.');
  const json = await runs('cancel', 'ticket-42', '--json');
  expect(json.code).toBe(1);
  expect(JSON.parse(json.stdout)).toEqual({
    version: 1,
    run: 'ticket-42',
    status: 'cancelled',
    isDone: false,
    exitCode: 1,
  });
  work({ slow: agentOf([{ text: 'never', hang: true }]) });
  await db.start('slow-1', { agent: 'slow', messages });
  await reaches(db, 'slow-1', 'running');
  expect(await runs('cancel', 'slow-1')).toMatchObject({ code: 0 });
  expect((await db.result('slow-1')).status).toBe('cancelled');
});

test('runs events --follow prints what happens as it does, and ends with the run', async () => {
  verifies('cli.runs.events');
  const { db, path, work } = await waitingRun(mail('c1'));
  const seen = Promise.withResolvers<void>();
  const following = prompt(['runs', 'events', 'ticket-42', '--follow', '--json', '--journal', path], {
    watch: (_child, stdout) => {
      if (stdout.includes('message-end')) seen.resolve();
    },
  });
  await seen.promise;
  await db.decide('ticket-42', 'c1', { decision: 'allow' });
  work({ support: agentOf([{ text: 'Done.' }]) });
  const { code, stdout } = await following;
  expect(code).toBe(0);
  const events = stdout.trimEnd().split('\n');
  expect(JSON.parse(events.at(-1) ?? '')).toMatchObject({
    event: { type: 'run-end', reason: 'done', answer: 'Done.' },
  });
  expect(events.map((line) => (JSON.parse(line) as { readonly seq: number }).seq)).toEqual(
    events.map((_, index) => index + 1),
  );
});

test('runs events --follow ends on Ctrl-C with 130', async () => {
  verifies('cli.runs.events');
  const { path } = await waitingRun(mail('c1'));
  const args = ['runs', 'events', 'ticket-42', '--follow', '--journal', path];
  let isInterrupted = false;
  const interrupted = await prompt(args, {
    watch: (child, stdout) => {
      // Once: a second Ctrl-C ends the process without waiting.
      if (isInterrupted || !stdout.includes('message-end')) return;
      isInterrupted = child.kill('SIGINT');
    },
  });
  expect(interrupted).toMatchObject({ code: 130, stderr: 'prompt-agent: interrupted\n' });
});
