import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { main } from '../../src/main.ts';
import { workspace } from '../program.ts';

const OWN = '.config/prompt-agent/mcp.json';

test.each(['y', 'n', ''])('on a terminal the answer %j decides', async (answer) => {
  verifies('cli.mcp.import');
  const cwd = workspace({ 'theirs.json': '{"mcpServers":{"a":{"command":"x"}}}' });
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  const stderr = Object.assign(new PassThrough(), { isTTY: true, rows: 50, columns: 100 });
  stderr.setEncoding('utf8').on('data', (text: string) => {
    if (text.includes('[y/N]')) stdin.write(`${answer}\n`);
  });
  const { signal } = new AbortController();
  const argv = ['mcp', 'add', '--from', 'theirs.json'];
  const code = await main({ argv, env: {}, cwd, home: cwd, stdin, stdout: new PassThrough(), stderr, signal });
  expect(code).toBe(answer === 'y' ? 0 : 4);
  expect(existsSync(join(cwd, OWN))).toBe(answer === 'y');
});
