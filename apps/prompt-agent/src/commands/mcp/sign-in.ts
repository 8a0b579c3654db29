import { findProgram } from '@kernel/internal';
import type { LoopbackRedirectOptions } from '@kernel/mcp/auth';
import { KernelError } from '@kernel/protocol';
import type { CommandCall } from '../../command-call.ts';
import { runProgram } from '../../credentials/run-program.ts';
import { EXIT, usageError } from '../../exit-code.ts';
import { connectServers } from '../../mcp-servers/connect-servers.ts';
import type { AddedServer } from '../../mcp-servers/server-files.ts';
import { noPerson, signInOptions, takesSignIn } from '../../mcp-servers/sign-ins.ts';
import { configOf, findUsable } from '../../mcp-servers/usable-servers.ts';
import { ask, hasTerminal } from '../../questions/ask.ts';

/** Longer than a person has for signing in. */
const CONNECT_MS = 6 * 60_000;
const OPEN_MS = 10_000;

/**
 * Signs in at a server, in a browser on this machine or elsewhere: the address is printed, and the one at which the browser ends can be pasted. Runs use the sign-in
 * from then on, and refresh it.
 */
export async function login(call: CommandCall): Promise<number> {
  const { output, host } = call;
  const server = await signInServer(call);
  const { createSignIn, isSignedIn, loopbackRedirect } = await import('@kernel/mcp/auth');
  const redirect = loopbackRedirect({ onUrl: (url, paste, signal) => sendPerson(call, url, paste, signal) });
  const options = await signInOptions(server, redirect, call);
  const wasSignedIn = await isSignedIn(options);
  const { toolset } = await connectServers(configOf([server], host), call, {
    what: `mcp login ${server.name}`,
    fetch: createSignIn(options),
    connectTimeoutMs: CONNECT_MS,
  });
  await toolset.close();
  if (!(await isSignedIn(options))) output.note(`${server.name} does not ask for a sign-in`);
  else output.note(wasSignedIn ? `signed in at ${server.name} already, and it works` : `signed in at ${server.name}`);
  return EXIT.answer;
}

/** Forgets the sign-in at a server, and takes it back there if that is possible. */
export async function logout(call: CommandCall): Promise<number> {
  const { output, flags } = call;
  const server = await signInServer(call);
  const { isSignedIn, signOut } = await import('@kernel/mcp/auth');
  const options = await signInOptions(server, noPerson(server.name), call);
  const wasSignedIn = await isSignedIn(options).catch(() => true);
  if (!wasSignedIn) throw usageError(`mcp logout: nobody is signed in at ${server.name}.`);
  const { store } = options;
  // What a keyring does not give can still be forgotten.
  const isRevoked = await signOut({
    ...options,
    store: store && { ...store, load: (key) => store.load(key).catch(() => undefined) },
  });
  if (flags.json === true) output.writeJson({ signedOut: server.name, revoked: isRevoked });
  output.note(
    isRevoked
      ? `signed out of ${server.name}`
      : `signed out of ${server.name} here; the server has not taken the sign-in back, so it ends by itself`,
  );
  return EXIT.answer;
}

async function signInServer(call: CommandCall): Promise<AddedServer> {
  const server = await findUsable(call.words[0] ?? '', call);
  if (takesSignIn(server)) return server;
  throw usageError(
    `mcp: nobody signs in at "${server.name}": it is a program, or an address for which the file has an Authorization header.`,
  );
}

/** Says where to sign in, opens a browser if there is one, and takes what is pasted. */
async function sendPerson(
  { host, output }: CommandCall,
  url: URL,
  paste: Parameters<LoopbackRedirectOptions['onUrl']>[1],
  signal: AbortSignal,
): Promise<void> {
  output.alert(`To sign in, open this address of ${url.origin}:`);
  output.alert(url.href);
  void openBrowser(url, host.env, signal);
  if (!hasTerminal(host)) return;
  while (!signal.aborted) {
    const show = (): void =>
      output.alert('Waiting for the browser. If it is on another machine, paste the address at which it ends:');
    // oxlint-disable-next-line no-await-in-loop -- until something that fits is pasted
    const text = await ask(host, show, signal).catch(() => undefined);
    if (text === undefined) return;
    if (text.trim() === '') continue;
    try {
      paste(text);
      return;
    } catch (error) {
      if (!KernelError.is(error)) throw error;
      output.alert(`${error.message} ${error.hint ?? ''}`);
    }
  }
}

/** Opens a browser, where there is a screen to show it on. Never rejects: the address is printed as well. */
async function openBrowser(url: URL, env: CommandCall['host']['env'], signal: AbortSignal): Promise<void> {
  const isMac = process.platform === 'darwin';
  if (!isMac && env['DISPLAY'] === undefined && env['WAYLAND_DISPLAY'] === undefined) return;
  const program = findProgram(isMac ? 'open' : 'xdg-open');
  if (program === undefined) return;
  await runProgram(program, [url.href], { signal, timeoutMs: OPEN_MS }).catch(() => undefined);
}
