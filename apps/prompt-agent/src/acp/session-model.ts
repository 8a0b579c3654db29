import { isDeepStrictEqual } from 'node:util';
import { RequestError } from '@agentclientprotocol/sdk/unstable';
import type { CommandCall } from '../command-call.ts';
import { openModel } from '../model/open-model.ts';
import { whatIsMissing } from './setup/sign-in.ts';

/**
 * Opens the provider and the model of a session, which are opened again once the key may be another one. Rejects as `openModel` does, and with
 * `auth_required` where there is none to use. `onSecrets` gets all keys so far at each opening.
 */
export async function openSessionModel(
  call: CommandCall,
  onSecrets: (secrets: readonly (string | undefined)[]) => void,
) {
  const secrets: (string | undefined)[] = [];
  const open = async () => {
    const opened = await openModel(call);
    const missing = whatIsMissing(opened.choice, call.flags);
    if (missing !== undefined) throw RequestError.authRequired(undefined, missing);
    secrets.push(opened.secret);
    onSecrets(secrets);
    return opened;
  };
  let current = await open();
  let isExpired = false;
  return {
    current: () => current,
    /** Says that the user signed in or out, or that the key was refused: it is read again before the next turn. */
    expire: (): void => void (isExpired = true),
    /** Opens them again, if the key may be another one. Resolves to the model where it is one of another provider; undefined where they stay. */
    async renew(): Promise<{ readonly model?: string } | undefined> {
      if (!isExpired) return undefined;
      const { choice: before } = current;
      current = await open();
      isExpired = false;
      const { choice, secret } = current;
      // With the same key and settings, the tools and their servers need not be opened again.
      if (secret !== undefined && isDeepStrictEqual(choice.provider, before.provider)) return undefined;
      return choice.provider.name === before.provider.name ? {} : { model: choice.model };
    },
  };
}
