import { findProgram } from '@kernel/internal';
import { runProgram } from './run-program.ts';

export interface Keyring {
  readonly name: string;
  /** Returns the secret of an account; undefined if there is none, or the keyring is locked. */
  find(account: string, signal: AbortSignal): Promise<string | undefined>;
  save(account: string, secret: string, signal: AbortSignal): Promise<void>;
  /** Forgets a secret. One that is not there is no error. */
  remove(account: string, signal: AbortSignal): Promise<void>;
}

const SERVICE = 'prompt-agent';
const TIMEOUT_MS = 10_000;

/**
 * Returns the keyring of this system if it answers: the Secret Service of Linux desktops through `secret-tool` of libsecret, the keychain of macOS through
 * `security`. undefined where there is none, as on most servers, or no such program where nobody else can have put it.
 */
export async function systemKeyring(platform: NodeJS.Platform, signal: AbortSignal): Promise<Keyring | undefined> {
  const keyring = platform === 'darwin' ? keychain() : platform === 'linux' ? secretService() : undefined;
  if (keyring === undefined) return undefined;
  try {
    // Looks for what is never there: fails where no service runs.
    await keyring.probe(signal);
    return keyring;
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
}

type ProbedKeyring = Keyring & { readonly probe: (signal: AbortSignal) => Promise<unknown> };

function secretService(): ProbedKeyring | undefined {
  return keyringOf('Secret Service', 'secret-tool', {
    probe: ['search', 'service', `${SERVICE}-probe`],
    find: (account) => ['lookup', 'service', SERVICE, 'account', account],
    save: (account, secret) => [
      ['store', '--label', `${SERVICE}: ${account}`, 'service', SERVICE, 'account', account],
      secret,
    ],
    remove: (account) => ['clear', 'service', SERVICE, 'account', account],
  });
}

function keychain(): ProbedKeyring | undefined {
  return keyringOf('keychain', 'security', {
    probe: ['list-keychains'],
    find: (account) => ['find-generic-password', '-w', '-s', SERVICE, '-a', account],
    // In its interactive mode the secret comes from stdin, so that it is not in the arguments, which others can see.
    save: (account, secret) => [
      ['-i'],
      `add-generic-password -U -s ${SERVICE} -a ${account} -w ${JSON.stringify(secret)}\n`,
    ],
    remove: (account) => ['delete-generic-password', '-s', SERVICE, '-a', account],
  });
}

interface KeyringArguments {
  readonly probe: readonly string[];
  readonly find: (account: string) => readonly string[];
  readonly save: (account: string, secret: string) => readonly [args: readonly string[], input: string];
  readonly remove: (account: string) => readonly string[];
}

function keyringOf(name: string, programName: string, args: KeyringArguments): ProbedKeyring | undefined {
  const program = findProgram(programName);
  if (program === undefined) return undefined;
  const run = (given: readonly string[], signal: AbortSignal, input?: string): Promise<string> =>
    runProgram(program, given, { signal, timeoutMs: TIMEOUT_MS, ...(input === undefined ? {} : { input }) });
  return {
    name,
    probe: (signal) => run(args.probe, signal),
    find: (account, signal) =>
      run(args.find(account), signal).then(
        (text) => text.replace(/\r?\n$/, '') || undefined,
        () => undefined,
      ),
    async save(account, secret, signal) {
      const [given, input] = args.save(account, secret);
      await run(given, signal, input);
    },
    async remove(account, signal) {
      await run(args.remove(account), signal).catch(() => undefined);
    },
  };
}
