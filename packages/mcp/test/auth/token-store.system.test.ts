import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { verifies } from '@kernel/testing';
import { expect, onTestFinished, test } from 'vitest';
import { createSignIn, fileTokenStore } from '../../src/auth/index.ts';
import { startOAuthServers } from './oauth-servers.ts';
import { person } from './person.ts';

function tokenFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tokens-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'deep', 'tokens.json');
}

function start(program: string, ...args: string[]): ChildProcess & { readonly output: Promise<string> } {
  const path = fileURLToPath(new URL(program, import.meta.url));
  const child = spawn(process.execPath, ['--conditions=@kernel/source', path, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const output = (async () => {
    let text = '';
    for await (const chunk of child.stdout) text += String(chunk);
    return text.trim();
  })();
  return Object.assign(child, { output });
}

test('two processes that want to refresh at once make one request: the second takes what the first has saved', async () => {
  verifies('mcp.auth.refresh', 'mcp.auth.store');
  const servers = await startOAuthServers();
  const file = tokenFile();
  await createSignIn({ serverUrl: servers.url, grant: person, store: fileTokenStore(file) })(servers.url, {
    method: 'POST',
  });
  servers.revoke();
  const before = servers.calls.length;
  let bothRefused = (): void => {};
  const refused = new Promise<void>((resolve) => (bothRefused = resolve));
  const { scope } = servers;
  servers.scope = () => {
    if (servers.calls.length === before + 2) bothRefused();
    return scope();
  };
  // The first one is refreshing until the second one wants to.
  servers.onToken = async () => {
    await refused;
    servers.onToken = undefined;
    return servers.giveTokens('all');
  };
  const programs = [start('refresh-program.ts', servers.url, file), start('refresh-program.ts', servers.url, file)];
  expect(await Promise.all(programs.map(({ output }) => output))).toEqual(['200', '200']);
  expect(servers.tokenRequests.map((body) => body.get('grant_type'))).toEqual(['authorization_code', 'refresh_token']);
  expect(servers.authorized).toHaveLength(1);
});

test('the turn of a process that was killed is taken over', async () => {
  verifies('mcp.auth.store');
  const file = tokenFile();
  const holder = start('hold-lock.ts', file);
  await once(holder.stdout ?? holder, 'data');
  holder.kill('SIGKILL');
  await once(holder, 'exit');
  const store = fileTokenStore(file);
  expect(await store.exclusively('a server', () => Promise.resolve('mine'))).toBe('mine');
  expect(readdirSync(join(file, '..'))).toEqual([]);
});

test('whoever waits for their turn can leave, and work of one process is done one piece at a time', async () => {
  verifies('mcp.auth.abort');
  const store = fileTokenStore(tokenFile());
  let release = (): void => {};
  const first = store.exclusively('a', () => new Promise<void>((resolve) => (release = resolve)));
  const left = store.exclusively('a', () => Promise.resolve('never'), AbortSignal.timeout(20));
  await expect(left).rejects.toThrow('timeout');
  expect(await store.exclusively('b', () => Promise.resolve('other'))).toBe('other');
  release();
  await first;
});

test('a token file is its owner’s alone, is replaced as a whole, and leaves nothing beside it', async () => {
  verifies('mcp.auth.store');
  const file = tokenFile();
  const [one, two] = [fileTokenStore(file), fileTokenStore(file)];
  expect(await one.load('a')).toBeUndefined();
  await Promise.all([one.save('a', '1'), two.save('__proto__', '2'), one.save('c', '3')]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect([await two.load('a'), await one.load('__proto__'), await one.load('constructor')]).toEqual([
    '1',
    '2',
    undefined,
  ]);
  await two.remove('a');
  expect(await one.load('a')).toBeUndefined();
  expect(readdirSync(join(file, '..'))).toEqual(['tokens.json']);
});

test.skipIf(process.platform === 'win32')(
  'a pipe in place of a token file blocks nobody, and is set aside',
  async () => {
    verifies('mcp.auth.store');
    const file = tokenFile();
    await fileTokenStore(file).save('x', 'y');
    rmSync(file);
    execFileSync('mkfifo', [file]);
    await expect(fileTokenStore(file).load('x')).rejects.toMatchObject({ code: 'STORE_FAILED' });
    expect(await fileTokenStore(file).load('x')).toBeUndefined();
  },
);
