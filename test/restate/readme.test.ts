import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { verifies } from '@kernel/testing';
import { expect, onTestFinished, test } from 'vitest';
import { freePort } from './server.ts';
import { useEngine } from './support.ts';

const engine = useEngine();
const fixtures = join(import.meta.dirname, 'fixtures');

test('the two programs of the README do what it says', async () => {
  verifies('restate.readme');
  const port = await freePort();
  const worker: ChildProcess = spawn(process.execPath, [join(fixtures, 'support-worker.ts')], {
    env: { ...process.env, PORT: String(port) },
    stdio: 'ignore',
  });
  onTestFinished(() => void worker.kill());
  const { ingressUrl, adminUrl, register } = engine.server();
  await expect.poll(() => register(`http://127.0.0.1:${port}`).catch(() => undefined)).toBeDefined();
  const env = { ...process.env, INGRESS: ingressUrl, ADMIN: adminUrl };
  const { stdout } = await promisify(execFile)(process.execPath, [join(fixtures, 'support-client.ts')], { env });
  expect(stdout).toBe('done Done.\n');
});
