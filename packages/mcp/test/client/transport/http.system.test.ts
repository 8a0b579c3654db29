import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { type HttpFixture, startHttpServer } from '../../fixtures/http-server.ts';
import { call, connected } from '../programs.ts';

async function started(port?: number, token?: string): Promise<HttpFixture> {
  const server = await startHttpServer(port, token);
  onTestFinished(() => server.close());
  return server;
}

const PROGRAM = fileURLToPath(new URL('../../fixtures/http-server.ts', import.meta.url));

async function program(port: string): Promise<{ readonly child: ChildProcess; readonly url: string }> {
  const child = spawn(process.execPath, [PROGRAM, port], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const url = await new Promise<string>((resolve) =>
    child.stdout.once('data', (line: Buffer) => resolve(line.toString().trim())),
  );
  return { child, url };
}

test('a server that is killed in the middle of a call gives a result at once, and is reached again when it is back', async () => {
  const first = await program('0');
  const toolset = await connected({ web: { url: first.url } }, { connectTimeoutMs: 60_000 });
  const [result] = await Promise.all([call(toolset, 'mcp__web__dies'), once(first.child, 'exit')]);
  expect(result).toMatchObject({ isError: true, code: 'OUTCOME_UNKNOWN' });
  const away = await call(toolset, 'mcp__web__ok');
  expect(away).toMatchObject({ isError: true, code: 'TOOL_UNAVAILABLE' });
  expect(away.forLLM).toContain('could not be reached (ECONNREFUSED)');
  const pending = call(toolset, 'mcp__web__ok'); // it tries a few times
  await started(Number(new URL(first.url).port)); // in this process, which is there at once
  expect((await pending).forLLM).toBe('ok');
});
