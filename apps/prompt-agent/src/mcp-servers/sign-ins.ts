import { join } from 'node:path';
import { attempt, isLoopback, isObject, sha256Hex } from '@kernel/internal';
import type { Redirect, SignInOptions, TokenStore } from '@kernel/mcp/auth';
import { KernelError } from '@kernel/protocol';
import type { CommandCall } from '../command-call.ts';
import { configFolder } from '../config/folders.ts';
import type { Keyring } from '../credentials/keyring.ts';
import { usageError } from '../exit-code.ts';
import type { Host } from '../host.ts';
import { oneLine } from '../output/escape.ts';
import type { Output } from '../output/output.ts';
import { fillVariables } from './fill-variables.ts';
import { transportOf } from './server-entry.ts';
import type { AddedServer } from './server-files.ts';

type Access = Pick<CommandCall, 'output' | 'signal'> & { readonly host: Pick<Host, 'env' | 'home'> };

/** Where sign-ins are kept, for messages. */
export function signInsPath(host: Access['host']): string {
  return join(configFolder(host), 'mcp-sign-ins.json');
}

/** Whether a server can be signed in at: one at an address, for which the file sets no credential of its own. */
export function takesSignIn({ entry }: AddedServer): boolean {
  const headers = Object.keys(isObject(entry['headers']) ? entry['headers'] : {});
  return transportOf(entry) === 'address' && !headers.some((name) => name.toLowerCase() === 'authorization');
}

/** How to sign in at a server, for a run, a login and a logout alike: they find the same tokens. */
export async function signInOptions(server: AddedServer, redirect: Redirect, access: Access): Promise<SignInOptions> {
  const url = fillVariables(server.entry['url'], access.host.env, `mcp: the server "${server.name}"`);
  return {
    serverUrl: String(url),
    grant: { type: 'authorization-code', clientName: 'prompt-agent', redirect },
    store: await openTokenStore(access),
  };
}

/** The redirect of a run: nobody is sent anywhere in the middle of one. */
export function noPerson(name: string): Redirect {
  return {
    open: () =>
      Promise.reject(
        new KernelError('TOOL_UNAVAILABLE', 'A person has to sign in.', {
          hint: `Run prompt-agent mcp login ${name}.`,
        }),
      ),
  };
}

/** The `fetch` for servers, signed in as the user has; undefined if none of them can be signed in at. */
export async function fetchFor(
  servers: readonly AddedServer[],
  access: Access,
): Promise<SignInOptions['fetch'] | undefined> {
  const { createSignIn } = await import('@kernel/mcp/auth');
  let fetch: SignInOptions['fetch'];
  for (const server of servers.filter(takesSignIn)) {
    // oxlint-disable-next-line no-await-in-loop -- each wraps the one before
    const options = await signInOptions(server, noPerson(server.name), access);
    // Where a token would be readable on its way there is no sign-in, and a server that needs none can be used.
    if (isPrivate(String(options.serverUrl))) fetch = createSignIn({ ...options, fetch });
  }
  return fetch;
}

function isPrivate(address: string): boolean {
  const url = URL.parse(address);
  return url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname));
}

/**
 * Opens the store of sign-ins: in the keyring of the system if it has one, else in a file that only the user can read. The file also says which are in the keyring,
 * and its locks let one process at a time refresh. What is loaded is redacted in all output.
 */
export async function openTokenStore(
  { host, output, signal }: Access,
  openKeyring: () => Promise<Keyring | undefined> = async () =>
    (await import('../credentials/keyring.ts')).systemKeyring(process.platform, signal),
): Promise<TokenStore> {
  const { fileTokenStore } = await import('@kernel/mcp/auth');
  const file = fileTokenStore(signInsPath(host));
  const remove = async (key: string): Promise<void> => {
    if (keyringOf(await file.load(key)) !== undefined) await (await openKeyring())?.remove(accountOf(key), signal);
    await file.remove(key);
  };
  return {
    exclusively: (key, work, abort) => file.exclusively(key, work, abort),
    async load(key) {
      const text = await file.load(key);
      const name = keyringOf(text);
      const found = name === undefined ? text : decode(await (await openKeyring())?.find(accountOf(key), signal));
      if (name !== undefined && found === undefined)
        throw usageError(
          `A sign-in is in the keyring (${oneLine(name, 40)}), which does not give it. Unlock it, or sign in again: prompt-agent mcp logout, then login.`,
        );
      hideTokens(found, output);
      return found;
    },
    async save(key, text) {
      hideTokens(text, output);
      const keyring = await openKeyring();
      const isKept = keyring !== undefined && (await keepIn(keyring, accountOf(key), text, signal));
      await file.save(key, isKept ? JSON.stringify({ keyring: keyring.name }) : text);
    },
    remove,
  };
}

/** Keeps a text in a keyring; false for one that refuses it or cuts it. */
async function keepIn(keyring: Keyring, account: string, text: string, signal: AbortSignal): Promise<boolean> {
  try {
    await keyring.save(account, Buffer.from(text).toString('base64url'), signal);
    return decode(await keyring.find(account, signal)) === text;
  } catch {
    signal.throwIfAborted();
    return false;
  }
}

/** A keyring takes plain names, and shows them. */
function accountOf(key: string): string {
  return `mcp-${sha256Hex(key).slice(0, 32)}`;
}

function decode(secret: string | undefined): string | undefined {
  return secret === undefined ? undefined : Buffer.from(secret, 'base64url').toString();
}

function keyringOf(text: string | undefined): string | undefined {
  const value = text === undefined ? undefined : attempt((): unknown => JSON.parse(text));
  return isObject(value) && typeof value['keyring'] === 'string' ? value['keyring'] : undefined;
}

function hideTokens(text: string | undefined, output: Pick<Output, 'hide'>): void {
  const value = text === undefined ? undefined : attempt((): unknown => JSON.parse(text));
  const tokens = isObject(value) && isObject(value['tokens']) ? value['tokens'] : {};
  for (const name of ['access_token', 'refresh_token']) if (typeof tokens[name] === 'string') output.hide(tokens[name]);
}
