import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifies } from '@kernel/testing';
import { expect, onTestFinished, test } from 'vitest';
import { converse, TURNS } from './fixtures/conversation.ts';

const FIXTURE = join(import.meta.dirname, 'fixtures/killed-conversation.ts');

/** Runs the conversation in a process of its own, which is to die at a point; resolves to the signal that ended it. */
function converseUntil(folder: string, killAt: number): Promise<NodeJS.Signals | null> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [FIXTURE, folder, String(killAt)], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    child.on('error', reject);
    child.on('exit', (code, signal) => {
      if (code !== 0 && signal === null) reject(new Error(`the conversation ended with code ${code}`));
      else resolve(signal);
    });
  });
}

const go = (): void => {};

/** The effects so far: kind, number and idempotency key. */
function effectsOf(folder: string): readonly (readonly [string, number, string])[] {
  const file = join(folder, 'effects.jsonl');
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
  return lines.map((line) => JSON.parse(line) as [string, number, string]);
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'kernel-killed-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test('killed at each of its points and continued, a conversation loses no effect, repeats only idempotent ones, and keeps one key per call', async () => {
  verifies('agent.session.idempotencyKey');
  const whole = newFolder();
  const { probes } = await converse(whole, go);
  expect(probes).toBeGreaterThan(20);

  const next = Array.from({ length: probes }, (_, index) => index + 1).values();
  const work = async (): Promise<void> => {
    for (const point of next) {
      // One process after another, on as many folders as there are workers.
      // oxlint-disable-next-line no-await-in-loop
      await killAndContinue(newFolder(), point);
    }
  };
  await Promise.all([work(), work(), work()]);
});

async function killAndContinue(folder: string, point: number): Promise<void> {
  expect(await converseUntil(folder, point), `killed at ${point}`).toBe('SIGKILL');
  // Another process continues: this one.
  const end = await converse(folder, go);
  expect(end, `continued after ${point}`).toMatchObject({ reason: 'done', answer: 'all paid' });
  const keys = new Map<string, Set<string>>();
  const counts = new Map<string, number>();
  for (const [effect, n, key] of effectsOf(folder)) {
    const call = `${effect} ${n}`;
    keys.set(call, (keys.get(call) ?? new Set()).add(key));
    counts.set(call, (counts.get(call) ?? 0) + 1);
  }
  for (const [call, found] of keys) expect(found.size, `the keys of ${call} after ${point}`).toBe(1);
  expect(new Set([...keys.values()].flatMap((found) => [...found])).size).toBe(keys.size);
  for (let n = 0; n < TURNS; n += 1) {
    const [idempotent = 0, write = 0] = [counts.get(`idempotent ${n}`), counts.get(`write ${n}`)];
    expect(idempotent, `idempotent ${n} after ${point}`).toBeGreaterThanOrEqual(1);
    expect(idempotent, `idempotent ${n} after ${point}`).toBeLessThanOrEqual(2);
    expect(write, `write ${n} after ${point}`).toBeLessThanOrEqual(1);
    // A write that is missing had begun when the process died, and the model was told that its outcome is unknown.
    expect(write > 0 || end.unknown.includes(`write_${n}`), `write ${n} after ${point} is told or done`).toBe(true);
  }
}
