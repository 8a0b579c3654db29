import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { client, type ClientContext, ndJsonStream } from '@agentclientprotocol/sdk/unstable';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { main } from '../../src/main.ts';
import { workspace } from '../program.ts';
import { withEditor } from './editor.ts';
import { inPseudoTerminal } from '../terminals.ts';

/** Starts the program where no model is known, and works with it as an editor that can open terminals, or not. */
async function withoutModel(
  canOpenTerminals: boolean,
  work: (agent: ClientContext, cwd: string) => Promise<void>,
  args: readonly string[] = [],
): Promise<void> {
  const cwd = workspace({});
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const exit = main({
    argv: ['acp', ...args],
    env: { PATH: process.env['PATH'], PROMPT_AGENT_SERVERS: '' },
    cwd,
    home: cwd,
    stdin,
    stdout,
    stderr: new PassThrough().resume(),
    signal: new AbortController().signal,
  });
  const writable = new WritableStream<Uint8Array>({ write: (bytes) => void stdin.write(bytes) });
  const stream = ndJsonStream(writable, Readable.toWeb(stdout) as ReadableStream<Uint8Array>);
  const { agent } = client({ name: 'test' }).connect(stream);
  const { authMethods } = await agent.request('initialize', {
    protocolVersion: 1,
    clientCapabilities: { auth: { terminal: canOpenTerminals } },
  });
  expect(authMethods?.map(({ id }) => id)).toEqual(canOpenTerminals ? ['login', 'elsewhere'] : ['elsewhere']);
  await work(agent, cwd);
  stdin.end();
  expect(await exit).toBe(0);
}

test('where there is no model a session asks to sign in, says how, and begins once there is one', async () => {
  verifies('cli.acp.login');
  await withoutModel(true, async (agent, cwd) => {
    const begin = () => agent.request('session/new', { cwd, mcpServers: [] });
    const refused = { code: -32_000, message: expect.stringContaining('prompt-agent keys set') as unknown };
    await expect(begin()).rejects.toMatchObject(refused);
    await expect(agent.request('authenticate', { methodId: 'elsewhere' })).rejects.toThrow('prompt-agent keys set');
    await expect(agent.request('authenticate', { methodId: 'nothing' })).rejects.toMatchObject({ code: -32_602 });
    const keys = join(cwd, '.config/prompt-agent/keys.json');
    mkdirSync(join(cwd, '.config/prompt-agent'), { recursive: true });
    writeFileSync(keys, JSON.stringify({ anthropic: { key: 'sk-ant-test-0000000000000000' } }));
    await agent.request('authenticate', { methodId: 'elsewhere' });
    const { configOptions } = await begin();
    expect(configOptions?.find(({ id }) => id === 'model')).toMatchObject({ category: 'model' });
    await agent.request('logout', {});
    expect(readFileSync(keys, 'utf8')).not.toContain('sk-ant');
    await expect(begin()).rejects.toMatchObject({ code: -32_000 });
  });
});

test('a vendor that was named is not asked without its key', async () => {
  verifies('cli.acp.login');
  const work = async (agent: ClientContext, cwd: string): Promise<void> => {
    const refused = { code: -32_000, message: expect.stringContaining('Set ANTHROPIC_API_KEY') as unknown };
    await expect(agent.request('session/new', { cwd, mcpServers: [] })).rejects.toMatchObject(refused);
    await expect(agent.request('authenticate', { methodId: 'elsewhere' })).rejects.toMatchObject(refused);
  };
  await withoutModel(true, work, ['--provider', 'anthropic', '--model', 'm-1']);
});

test('an editor without terminals is told of the keys that are elsewhere', async () => {
  verifies('cli.acp.login');
  await withoutModel(false, async (agent) => {
    await expect(agent.request('authenticate', { methodId: 'elsewhere' })).rejects.toThrow('OPENAI_API_KEY');
  });
});

test('the way to sign in that an editor opens in a terminal asks for provider and key, and keeps it unseen', async () => {
  verifies('cli.acp.login');
  const cwd = workspace({});
  const terminal = inPseudoTerminal(['acp', '--login'], { cwd });
  await terminal.sees('Which provider');
  terminal.type('anthropic\r');
  await terminal.sees('not shown');
  terminal.type('sk-ant-secret-000000000000\r');
  expect(await terminal.ended).toBe(0);
  expect(terminal.raw()).not.toContain('sk-ant-secret');
  expect(existsSync(join(cwd, '.config/prompt-agent/keys.json'))).toBe(true);
});

test('a session whose key was refused goes on with the one that is set then, and with none after the user signed out', async () => {
  verifies('cli.acp.login');
  const refused = { status: 401, headers: {}, chunks: ['{"error":{"message":"no such key"}}'] };
  const replies = ({ headers }: { readonly headers: Readonly<Record<string, unknown>> }) =>
    headers['authorization'] === 'Bearer sk-right-000000000000' ? { text: 'Hello.' } : refused;
  const keysOf = (key: string) => JSON.stringify({ openai: { key } });
  const path = '.config/prompt-agent/keys.json';
  const files = { [path]: keysOf('sk-wrong-000000000000') };
  await withEditor({ replies, files, args: ['--provider', 'openai'] }, async ({ agent, begin, cwd, prompt, said }) => {
    const sessionId = await begin();
    await expect(prompt(sessionId, 'Hi.')).rejects.toMatchObject({ code: -32_000 });
    writeFileSync(join(cwd, path), keysOf('sk-right-000000000000'));
    await prompt(sessionId, 'Hi again.');
    expect(said()).toBe('Hello.');
    await agent.request('logout', {});
    await expect(prompt(sessionId, 'And now?')).rejects.toMatchObject({ code: -32_000 });
    writeFileSync(join(cwd, path), keysOf('sk-right-000000000000'));
    await agent.request('authenticate', { methodId: 'elsewhere' });
    await prompt(sessionId, 'And now?');
    expect(said()).toBe('Hello.Hello.');
  });
});
