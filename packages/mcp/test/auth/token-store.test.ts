import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
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

test.each(['{"version":1,"tok', '[]', '', '{"version":1,"tokens":7}'])(
  'a token file that is damaged (%j) is set aside, the error says where, and the next sign-in works',
  async (text) => {
    verifies('mcp.auth.store');
    const servers = await startOAuthServers();
    const file = tokenFile();
    const store = fileTokenStore(file);
    await store.save('x', 'y');
    writeFileSync(file, text);
    const fetch = createSignIn({ serverUrl: servers.url, grant: person, store });
    await expect(fetch(servers.url)).rejects.toMatchObject({
      code: 'STORE_FAILED',
      message: expect.stringContaining('.damaged-') as string,
      hint: expect.stringContaining('Sign in again') as string,
    });
    const [aside = ''] = readdirSync(join(file, '..'));
    expect(readFileSync(join(file, '..', aside), 'utf8')).toBe(text);
    expect((await fetch(servers.url)).status).toBe(200);
  },
);

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

test('a file of a newer version is left as it is, and one that cannot be read is an error', async () => {
  verifies('mcp.auth.store');
  const file = tokenFile();
  await fileTokenStore(file).save('x', 'y');
  writeFileSync(file, '{"version":2,"tokens":{}}');
  await expect(fileTokenStore(file).load('x')).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  await expect(fileTokenStore(file).save('x', 'y')).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  expect(readFileSync(file, 'utf8')).toBe('{"version":2,"tokens":{}}');
  await expect(fileTokenStore(join(file, 'below')).save('x', 'y')).rejects.toMatchObject({ code: 'STORE_FAILED' });
});

test.each(['{', '7', '{"tokens":{"access_token":7}}', '{"refreshAt":"now"}', '{"tokens":{"access_token":"a"}}'])(
  'what is stored but is no sign-in (%s) counts as nothing',
  async (text) => {
    verifies('mcp.auth.store');
    const servers = await startOAuthServers();
    const store = { ...fileTokenStore(tokenFile()), load: () => Promise.resolve(text) };
    const response = await createSignIn({ serverUrl: servers.url, grant: person, store })(servers.url);
    expect(response.status).toBe(200);
    expect(servers.authorized).toHaveLength(1);
  },
);
