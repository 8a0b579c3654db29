import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import type { Keyring } from '../../src/credentials/keyring.ts';
import { openTokenStore } from '../../src/mcp-servers/sign-ins.ts';
import { createOutput } from '../../src/output/output.ts';
import { workspace } from '../program.ts';

const KEY = 'https://docs.example.com/mcp authorization-code';
const TOKEN = 'an-access-token-1234567890';
const SAVED = JSON.stringify({
  tokens: { access_token: TOKEN, refresh_token: 'a-refresh-token-1234567890', note: 'ü"\\' },
});

/** A keyring in memory that keeps at most so many characters, as one that reads lines does. */
function keyring(longest = Infinity): Keyring & { readonly entries: Map<string, string> } {
  const entries = new Map<string, string>();
  return {
    name: 'Test Keyring',
    entries,
    find: (account) => Promise.resolve(entries.get(account)),
    save(account, secret) {
      entries.set(account, secret.slice(0, longest));
      return Promise.resolve();
    },
    remove(account) {
      entries.delete(account);
      return Promise.resolve();
    },
  };
}

async function open(ring: Keyring | undefined) {
  const home = workspace({});
  const stderr = new PassThrough();
  const output = createOutput({ stdout: new PassThrough(), stderr });
  const { signal } = new AbortController();
  const store = await openTokenStore({ host: { env: {}, home }, output, signal }, () => Promise.resolve(ring));
  const file = (): string => readFileSync(join(home, '.config/prompt-agent/mcp-sign-ins.json'), 'utf8');
  return { store, file, output, stderr };
}

test('a sign-in is kept in the keyring, under a name without the address; the file only says so', async () => {
  verifies('cli.mcp.login');
  const ring = keyring();
  const { store, file } = await open(ring);
  await store.save(KEY, SAVED);
  expect(await store.load(KEY)).toBe(SAVED);
  expect(file()).not.toContain(TOKEN);
  expect(file()).toContain('Test Keyring');
  expect([...ring.entries.keys()][0]).toMatch(/^mcp-[\da-f]{32}$/);
  expect([...ring.entries.values()][0]).toMatch(/^[\w-]+$/);
  await store.remove(KEY);
  expect(ring.entries.size).toBe(0);
  expect(await store.load(KEY)).toBeUndefined();
});

test('where there is no keyring, or one that does not keep it whole, the file has the sign-in', async () => {
  verifies('cli.mcp.login');
  const failing: Keyring = { ...keyring(), save: () => Promise.reject(new Error('locked')) };
  for (const ring of [undefined, keyring(100), failing]) {
    const { store, file } = await open(ring);
    await store.save(KEY, SAVED);
    expect(file()).toContain(TOKEN);
    expect(await store.load(KEY)).toBe(SAVED);
  }
});

test('a keyring that does not give what it has is an error that says what to do, and can be forgotten', async () => {
  verifies('cli.mcp.login');
  const ring = keyring();
  const { store } = await open(ring);
  await store.save(KEY, SAVED);
  ring.entries.clear();
  await expect(store.load(KEY)).rejects.toThrow('is in the keyring (Test Keyring), which does not give it. Unlock it');
  await store.remove(KEY);
  expect(await store.load(KEY)).toBeUndefined();
});

test('a token that was loaded is in no output', async () => {
  verifies('cli.mcp.login');
  const { store, output, stderr } = await open(undefined);
  await store.save(KEY, SAVED);
  output.note(`a server says ${TOKEN}`);
  expect(String(stderr.read())).toBe('a server says [redacted]\n');
});
