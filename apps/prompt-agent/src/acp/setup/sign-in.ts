import type { AuthMethod, ClientCapabilities } from '@agentclientprotocol/sdk/unstable';
import type { CommandCall } from '../../command-call.ts';
import { loadConfig } from '../../config/load-config.ts';
import { openStoredKeys } from '../../credentials/stored-keys.ts';
import { chooseModel } from '../../model/choose-model.ts';

/** What is missing, and how to give it. */
export const HOW_TO_SIGN_IN =
  'no model was found. Set a key such as OPENAI_API_KEY or ANTHROPIC_API_KEY, keep one with prompt-agent keys set PROVIDER, or start Ollama';

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

/** Whether there is a model to use by now. */
export async function hasModel(call: CommandCall): Promise<boolean> {
  const choice = await chooseModel(call, await loadConfig(call));
  return choice.provider.name !== 'offline' || call.flags.provider === 'offline';
}

/** Forgets all keys that the user keeps. Those of the environment are not the program's to forget. */
export async function forgetKeys({ host, output, signal }: CommandCall): Promise<void> {
  const keys = await openStoredKeys(host, output, signal);
  // oxlint-disable-next-line no-await-in-loop -- the file of keys is changed by one at a time
  for (const { provider } of keys.list) await keys.remove(provider);
}
