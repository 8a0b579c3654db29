import { PassThrough } from 'node:stream';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { main } from '../../src/main.ts';
import { promptHere, workspace } from '../program.ts';

interface Listed {
  readonly id: string;
  readonly name?: string;
  readonly title: string;
  readonly state: string;
}

async function list(cwd: string): Promise<readonly Listed[]> {
  const { code, stdout } = await promptHere(['sessions', 'list', '--json', '--limit', '0'], { cwd });
  expect(code).toBe(0);
  return (JSON.parse(stdout) as { sessions: readonly Listed[] }).sessions;
}

test('on a terminal rm asks, and removes only after yes', async () => {
  verifies('cli.sessions.rm');
  const cwd = workspace({ 'a.txt': 'x' });
  await promptHere(['2+2'], { cwd });
  for (const [answer, code, left] of [
    ['n\n', 1, 1],
    ['y\n', 0, 0],
  ] as const) {
    const stdin = Object.assign(new PassThrough(), { isTTY: true });
    const stderr = Object.assign(new PassThrough(), { isTTY: true });
    let said = '';
    stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      if (said.includes('[y/N]')) stdin.write(answer);
    });
    const ended = await main({
      argv: ['sessions', 'rm', (await list(cwd))[0]?.id ?? ''],
      env: { PROMPT_AGENT_SERVERS: '' },
      cwd,
      home: cwd,
      stdin,
      stdout: new PassThrough(),
      stderr,
      signal: new AbortController().signal,
    });
    expect(ended).toBe(code);
    expect(said).toContain('Remove 1 session for good? [y/N]');
    expect(await list(cwd)).toHaveLength(left);
  }
});
