import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { sharedData } from '../setup/shared-data.ts';

const suite = sharedData('test262', 'TEST262', ['codemode.language']);

test(
  'programs pass every 60th test of test262 that they pass in Node, but for what is known to be lacking',
  suite.options,
  async () => {
    verifies('codemode.language');
    // In a process of its own: tests reject promises that nobody waits for.
    const child = spawn(process.execPath, [fileURLToPath(new URL('test262.ts', import.meta.url)), '--every', '60'], {
      env: { ...process.env, TEST262: suite.path },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [said, [code]] = await Promise.all([text(child.stdout), once(child, 'exit') as Promise<[number | null]>]);
    expect(code === 0 ? '' : said).toBe('');
    expect(Number(/^\| all \| (\d+)/m.exec(said)?.[1])).toBeGreaterThan(400);
  },
);
