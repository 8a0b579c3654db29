import { findProgram } from '@kernel/internal';
import { runProgram } from './run-program.ts';

/** Where the system keeps secrets, by its own program. */
export interface Keyring {
  /** Its name, for people. */
  readonly name: string;
  /** Returns the secret of an account; undefined if there is none, or the keyring is locked. */
  find(account: string, signal: AbortSignal): Promise<string | undefined>;
  /** Keeps a secret in place of an earlier one. Rejects if the keyring refuses. */
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
  const program = findProgram('secret-tool');
  if (program === undefined) return undefined;
  const secretTool = runner(program);
  return {
    name: 'Secret Service',
    probe: (signal) => secretTool(['search', 'service', `${SERVICE}-probe`], signal),
    find: (account, signal) => secretTool(['lookup', ...attributes(account)], signal).then(nonEmpty, () => undefined),
    save: async (account, secret, signal) => {
      await secretTool(['store', '--label', `${SERVICE}: ${account}`, ...attributes(account)], signal, secret);
    },
    remove: async (account, signal) => {
      await secretTool(['clear', ...attributes(account)], signal).catch(() => undefined);
    },
  };
}

function attributes(account: string): readonly string[] {
  return ['service', SERVICE, 'account', account];
}

function keychain(): ProbedKeyring | undefined {
  const program = findProgram('security');
  if (program === undefined) return undefined;
  const security = runner(program);
  return {
    name: 'keychain',
    probe: (signal) => security(['list-keychains'], signal),
    find: (account, signal) =>
      security(['find-generic-password', '-w', ...item(account)], signal).then(nonEmpty, () => undefined),
    // In its interactive mode the secret comes from stdin, so that it is not in the arguments, which others can see.
    save: async (account, secret, signal) => {
      await security(
        ['-i'],
        signal,
        `add-generic-password -U -s ${SERVICE} -a ${account} -w ${JSON.stringify(secret)}\n`,
      );
    },
    remove: async (account, signal) => {
      await security(['delete-generic-password', ...item(account)], signal).catch(() => undefined);
    },
  };
}

function item(account: string): readonly string[] {
  return ['-s', SERVICE, '-a', account];
}

function runner(program: string) {
  return (args: readonly string[], signal: AbortSignal, input?: string): Promise<string> =>
    runProgram(program, args, { signal, timeoutMs: TIMEOUT_MS, ...(input === undefined ? {} : { input }) });
}

function nonEmpty(text: string): string | undefined {
  const secret = text.replace(/\r?\n$/, '');
  return secret === '' ? undefined : secret;
}
