import { type AuthMethod, type ClientCapabilities, RequestError } from '@agentclientprotocol/sdk/unstable';
import type { CommandCall } from '../../command-call.ts';
import { loadConfig } from '../../config/load-config.ts';
import { openStoredKeys } from '../../credentials/stored-keys.ts';
import { type Choice, chooseModel } from '../../model/choose-model.ts';
import { missingKey } from '../../model/vendors.ts';
import type { Flags } from '../../options/flags.ts';

/** What is missing before a model can be used, and how to give it; undefined if it can. */
export function whatIsMissing({ provider }: Choice, flags: Pick<Flags, 'provider'>): string | undefined {
  const { name, baseUrl, token, credentials, profile } = provider;
  if (name === 'offline')
    return flags.provider === 'offline'
      ? undefined
      : 'no model was found. Set a key such as OPENAI_API_KEY or ANTHROPIC_API_KEY, keep one with prompt-agent keys set PROVIDER, or start Ollama';
  const variable = missingKey(name, baseUrl, (token ?? credentials ?? profile) !== undefined);
  return variable && `there is no key for ${name}. Set ${variable}, or keep one with prompt-agent keys set ${name}`;
}

/** The ways to sign in: in a terminal that the editor opens, where it can, or with what is set elsewhere. */
export function authMethodsFor({ auth }: ClientCapabilities): AuthMethod[] {
  const login: AuthMethod = {
    type: 'terminal',
    id: 'login',
    name: 'Enter the key of a provider',
    description: 'Asks in a terminal for a provider and its key, and keeps it in the keyring of the system',
    args: ['--login'],
  };
  const elsewhere: AuthMethod = {
    id: 'elsewhere',
    name: 'Use a key or a model server that is already set up',
    description:
      'Looks again for a key in the environment, one of prompt-agent keys, or a model server on this machine',
  };
  return auth?.terminal === true ? [login, elsewhere] : [elsewhere];
}

/** Throws `auth_required` where there is still no model to use. */
export async function requireModel(call: CommandCall): Promise<void> {
  const missing = whatIsMissing(await chooseModel(call, await loadConfig(call)), call.flags);
  if (missing !== undefined) throw RequestError.authRequired(undefined, missing);
}

/** Forgets all keys that the user keeps. Those of the environment are not the program's to forget. */
export async function forgetKeys({ host, output, signal }: CommandCall): Promise<void> {
  const keys = await openStoredKeys(host, output, signal);
  // oxlint-disable-next-line no-await-in-loop -- the file of keys is changed by one at a time
  for (const { provider } of keys.list) await keys.remove(provider);
}
