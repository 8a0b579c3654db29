import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '@kernel/agent';
import { type Durable, type DurableAgent, openDurable } from '@kernel/durable';
import { scriptedProvider } from '@kernel/testing';
import { createRegistry, defineTool } from '@kernel/tools';
import { expect, onTestFinished } from 'vitest';
import * as z from 'zod';
import { type Outcome, promptHere, workspace } from './program.ts';

/** What each run is asked. */
export const messages = [{ role: 'user', content: 'Go' }] as const;

type Replies = Parameters<typeof scriptedProvider>[0];

/** An agent whose calls wait for a decision. */
export function agentOf(replies: Replies, version = '1'): DurableAgent {
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

export const mail = (id: string, to = 'Ada') => ({ name: 'send_mail', id, arguments: { to } });

export interface Journal {
  readonly db: Durable;
  /** Its file. */
  readonly path: string;
  /** Runs the program on the journal. */
  readonly runs: (...args: readonly string[]) => Promise<Outcome>;
  /** Starts a worker; `drain` stops it. */
  readonly work: (agents: Readonly<Record<string, DurableAgent>>) => { readonly drain: () => Promise<unknown> };
}

/** A journal in the place where the program looks for it. */
export function journal(): Journal {
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

export async function reaches(db: Durable, id: string, status: string): Promise<void> {
  await expect.poll(async () => (await db.status(id))?.status).toBe(status);
}

/** A journal with a run whose calls wait and no worker, so that nothing moves but what the program does. */
export async function waitingRun(...calls: readonly ReturnType<typeof mail>[]): Promise<Journal> {
  const made = journal();
  const worker = made.work({ support: agentOf([{ calls }, { text: 'Done.' }]) });
  await made.db.start('ticket-42', { agent: 'support', messages });
  await reaches(made.db, 'ticket-42', 'waiting');
  await worker.drain();
  return made;
}
