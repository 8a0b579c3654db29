import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Durable, type DurableOptions, openDurable } from '../src/index.ts';

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

/** A promise that is settled from outside. */
export function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: () => resolve() };
}

export const messages = [{ role: 'user', content: 'Go' }] as const;
