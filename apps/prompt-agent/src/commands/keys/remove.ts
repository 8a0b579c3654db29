import type { CommandCall } from '../../command-call.ts';
import { openStoredKeys } from '../../credentials/stored-keys.ts';
import { EXIT } from '../../exit-code.ts';
import { usageError } from '../../usage-error.ts';

/** Forgets the key of a provider. With `--json` it prints which. */
export async function removeKey({ flags, words, host, output, signal }: CommandCall): Promise<number> {
  const [provider = ''] = words;
  const keys = await openStoredKeys(host, output, signal);
  const names = keys.list.map((key) => key.provider);
  if (!(await keys.remove(provider)))
    throw usageError(
      `keys rm: there is no key of "${provider}"${names.length === 0 ? '' : `; there are ${names.join(', ')}`}.`,
    );
  if (flags.json === true) output.writeJson({ removed: provider });
  output.note(`the key of ${provider} is gone`);
  return EXIT.answer;
}
