import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
