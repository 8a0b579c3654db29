import { visible } from '@kernel/internal';
import type { CommandCall } from '../../command-call.ts';
import { setKey } from '../../commands/keys.ts';
import { usageError } from '../../exit-code.ts';
import { providers } from '../../model/providers.ts';
import { VENDORS } from '../../model/vendors.ts';
import { ask, hasTerminal } from '../../questions/ask.ts';

/** Asks on the terminal for a provider and its key, and keeps it: what an editor runs in a terminal of its own to sign in. */
export async function login(call: CommandCall): Promise<number> {
  const { host, output, signal } = call;
  if (!hasTerminal(host))
    throw usageError('acp --login needs a terminal. Without one: prompt-agent keys set PROVIDER < FILE');
  const known = [...VENDORS].filter(([, { keys }]) => keys.length > 0).map(([name]) => name);
  const show = (): void => {
    output.alert(`Providers that take a key: ${known.join(', ')}`);
    output.alert('Which provider is the key for?');
  };
  const provider = (await ask(host, show, signal))?.trim() ?? '';
  if (!providers.names.includes(provider)) throw usageError(`There is no provider "${visible(provider)}".`);
  return setKey({ ...call, words: [provider] });
}
