import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AgentEvent, JsonValue, Step, StepExecutor } from '@kernel/protocol';
import { onTestFinished } from 'vitest';
import { type Durable, type DurableOptions, openDurable, type RunExecutor } from '../src/index.ts';

/** The path of a journal in a folder of its own, deleted after the test. */
export function journalPath(): string {
  const folder = mkdtempSync(join(tmpdir(), 'journal-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'runs.db');
}

/** Opens a journal, closed after the test. */
export function journal(path = journalPath(), options?: DurableOptions): Durable {
  const db = openDurable(path, options);
  onTestFinished(() => db.close());
  return db;
}

/** Starts a worker that is drained after the test. */
export function worker(db: Durable, ...[options]: Parameters<Durable['work']>): ReturnType<Durable['work']> {
  const started = db.work(options);
  onTestFinished(() => started.drain(0));
  return started;
}

/** A step by hand. */
export function step(
  id: string,
  body: (scope: Parameters<Step['run']>[0]) => JsonValue | Promise<JsonValue>,
  rest: Partial<Step> = {},
): Step {
  const [kind = ''] = id.slice(id.lastIndexOf('/') + 1).split(':');
  return {
    id,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- ids of tests begin with a kind
    kind: kind as Step['kind'],
    input: { id },
    run: async (scope) => body(scope),
    ...rest,
  };
}

/** An agent that runs steps by hand and answers with the JSON of what `body` returns. */
export function agentOf(
  body: (steps: StepExecutor, executor: RunExecutor) => Promise<JsonValue>,
): (executor: RunExecutor) => AsyncGenerator<AgentEvent> {
  return async function* agent(executor) {
    const totals = { type: 'run-end', turns: 1, messages: [], usage: { inputTokens: 0, outputTokens: 0 } } as const;
    const answer = JSON.stringify(await body(executor.steps, executor));
    yield executor.signal.aborted ? { ...totals, reason: 'aborted' } : { ...totals, reason: 'done', answer };
  };
}

/** A promise that is settled from outside. */
export function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: () => resolve() };
}

export const messages = [{ role: 'user', content: 'Go' }] as const;
