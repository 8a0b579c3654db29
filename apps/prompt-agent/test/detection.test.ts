import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { startWireServer, verifies } from '@kernel/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import { oneLine } from '../src/output/escape.ts';
import { OWN_CONFIG, promptHere, waitPatiently, workspace } from './program.ts';

test('flag before config before key before local server before offline', async () => {
  waitPatiently();
  const server = await startWireServer({ replies: () => ({ text: 'local' }) });
  try {
    const env = { PROMPT_AGENT_SERVERS: server.baseUrl };
    const named = workspace({
      [OWN_CONFIG]: JSON.stringify({ provider: { name: 'openai', base_url: server.baseUrl }, model: { name: 'm1' } }),
    });
    const unnamed = workspace({ [OWN_CONFIG]: '{"name": "no provider"}' });
    const flag = await promptHere(['--provider', 'offline', '2+2'], { cwd: named, env });
    const file = await promptHere(['2+2'], { cwd: named, env: { ...env, OPENAI_API_KEY: 'k' } });
    const url = await promptHere(['--base-url', server.baseUrl, '--model', 'm3', '2+2'], { env });
    const found = await promptHere(['2+2'], { cwd: unnamed, env });
    const nothing = await promptHere(['2+2']);
    expect(flag.stderr).toMatch(/^offline: /);
    const at = new URL(server.baseUrl).origin;
    expect(file.stderr.split('\n')[0]).toBe(oneLine(`model: openai/m1 at ${at} (${join(named, OWN_CONFIG)})`));
    expect(url.stderr).toMatch(/^model: openai\/m3 at .* \(--base-url\)/);
    expect(found.stderr).toMatch(/^model: openai\/wire-model at .* \(model server on this machine\)/);
    expect(nothing.stderr).toMatch(/^offline: /);
    expect([file, url, found].map(({ stdout }) => stdout)).toEqual(['local\n', 'local\n', 'local\n']);
    // A missing recording ends the program after the choice and before any request.
    const key = await promptHere(['-protocol', 'audio', '-audio', 'none.wav'], {
      env: { ...env, OPENAI_API_KEY: 'k' },
    });
    expect(key.stderr).toMatch(/^model: openai\/gpt-transcribe \(OPENAI_API_KEY\)\n/);
    expect(key.code).toBe(2);
  } finally {
    await server.close();
  }
});

test('Ollama is looked for where OLLAMA_HOST says, as the providers read it', async () => {
  verifies('cli.ollama');
  waitPatiently();
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    const isList = request.url === '/v1/models';
    const reply = { message: { role: 'assistant', content: 'local' }, done: true, done_reason: 'stop' };
    request.resume().on('end', () => response.end(JSON.stringify(isList ? { data: [{ id: 'llama' }] } : reply)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  for (const host of [`:${port}`, `127.0.0.1:${port}`, `0.0.0.0:${port}`, `http://127.0.0.1:${port}/`]) {
    // oxlint-disable-next-line no-await-in-loop -- one program at a time
    const found = await promptHere(['2+2'], { env: { OLLAMA_HOST: host, PROMPT_AGENT_SERVERS: undefined } });
    expect(found.stderr).toContain(`model: ollama/llama at http://127.0.0.1:${port} (OLLAMA_HOST)`);
    expect(found.stdout).toBe('local\n');
  }
  expect(new Set(asked)).toEqual(new Set(['/v1/models', '/api/chat']));
});

test('a server that was found on loopback is given no key', async () => {
  waitPatiently();
  const server = await startWireServer({ replies: () => ({ text: 'local' }) });
  try {
    await promptHere(['2+2'], {
      env: { PROMPT_AGENT_SERVERS: server.baseUrl, GROQ_API_KEY: 'k', AZURE_OPENAI_API_KEY: 'k' },
    });
    expect(server.requests.length).toBeGreaterThan(0);
    for (const { headers } of server.requests) expect(headers['authorization']).toBeUndefined();
  } finally {
    await server.close();
  }
});

test.each([
  [{ OPENAI_API_KEY: 'k', ANTHROPIC_API_KEY: 'k' }, 'openai/gpt-6-luna (OPENAI_API_KEY)'],
  [{ ANTHROPIC_API_KEY: 'k', GEMINI_API_KEY: 'k' }, 'anthropic/claude-haiku-5-5 (ANTHROPIC_API_KEY)'],
  [{ GEMINI_API_KEY: 'k' }, 'gemini/gemini-3.5-flash-lite (GEMINI_API_KEY)'],
  [{ GOOGLE_API_KEY: 'k' }, 'gemini/gemini-3.5-flash-lite (GOOGLE_API_KEY)'],
])('a key in the environment chooses its vendor and a default model that the README names: %j', async (env, model) => {
  // A missing workspace ends the program after the choice and before any request.
  const { code, stderr } = await promptHere(['--workspace', 'none', '2+2'], { env });
  expect(code).toBe(2);
  expect(stderr.split('\n')[0]).toBe(`model: ${model}`);
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  expect(readme).toContain(`\`${model.split(' ')[0]?.split('/')[1] ?? ''}\``);
});

test('the region of Bedrock comes from the environment, too', async () => {
  const args = ['--provider', 'bedrock', '--model', 'm', '--workspace', 'none', '2+2'];
  expect((await promptHere(args)).stderr).toContain('region is missing');
  const { stderr } = await promptHere(args, { env: { AWS_REGION: 'eu-west-1', AWS_BEARER_TOKEN_BEDROCK: 'k' } });
  expect(stderr).toMatch(/^model: bedrock\/m \(--provider\)/);
});

test('ports that answer nothing are asked at once, and delay the start by one clock of 300 ms in all', async () => {
  const asked = Promise.withResolvers<void>();
  let requests = 0;
  const silent = createServer(() => {
    if ((requests += 1) === 2) asked.resolve();
  });
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const { port } = silent.address() as AddressInfo;
  const clocks: number[] = [];
  const deadline = new AbortController();
  const timeout = vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
    clocks.push(ms);
    return deadline.signal;
  });
  onTestFinished(() => {
    timeout.mockRestore();
    silent.closeAllConnections();
    silent.close();
  });
  const servers = `http://127.0.0.1:${port},http://127.0.0.1:${port}/v1`;
  const outcome = promptHere(['2+2'], { env: { PROMPT_AGENT_SERVERS: servers } });
  await asked.promise;
  expect(clocks).toEqual([300]);
  deadline.abort();
  expect(await outcome).toMatchObject({
    code: 0,
    stdout: '4\n',
    stderr: expect.stringMatching(/^offline: /) as string,
  });
  expect([requests, clocks]).toEqual([2, [300]]);
});

test('a config without a provider means ollama for a raw protocol call', async () => {
  const cwd = workspace({ [OWN_CONFIG]: '{"model": {"name": "m"}, "client": {"connection_timeout": "2s"}}' });
  const raw = await promptHere(['-protocol', 'audio', '-audio', 'none.wav'], { cwd });
  expect(raw.stderr).toMatch(/^model: ollama\/m \(default of a raw call\)\n/);
  expect((await promptHere(['2+2'], { cwd })).stderr).toMatch(/^offline: /);
});

test('a list of models without an end is not read to the end', async () => {
  let sent = 0;
  const server = createServer((request, response) => {
    if (request.url?.endsWith('/models') !== true) return response.writeHead(404).end();
    const more = (): void => {
      sent += 1_000_000;
      if (!response.write(`{"id":"${'x'.repeat(1_000_000)}"},`)) response.once('drain', more);
      else setImmediate(more);
    };
    response.writeHead(200, { 'content-type': 'application/json' }).write('{"data":[');
    return more();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  try {
    const { stdout } = await promptHere(['--provider', 'ollama', '--base-url', `http://127.0.0.1:${port}`, 'hi']);
    expect(stdout).toBe('');
    expect(sent).toBeLessThan(40_000_000);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
