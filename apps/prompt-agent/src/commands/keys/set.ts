import type { CommandCall } from '../../command-call.ts';
import { openStoredKeys } from '../../credentials/stored-keys.ts';
import { EXIT } from '../../exit-code.ts';
import { decodeText } from '../../prompt/decode-text.ts';
import { readStdin } from '../../prompt/read-stdin.ts';
import { providers } from '../../model/providers.ts';
import { hasTerminal } from '../../questions/ask.ts';
import { askSecret } from '../../questions/ask-secret.ts';
import { usageError } from '../../usage-error.ts';

/** Keeps the key of a provider: typed on the terminal without being shown, or read from stdin. Never an argument, which other users could see. */
export async function setKey({ words, host, output, signal }: CommandCall): Promise<number> {
  const [provider = ''] = words;
  if (!providers.names.includes(provider))
    throw usageError(`keys set needs the name of a provider, one of ${providers.names.join(', ')}.`);
  const typed = hasTerminal(host)
    ? await askSecret(host, output, `Key of ${provider} (not shown):`, signal)
    : decodeText(await readStdin(host, output, signal, 'needed'));
  const key = typed?.trim() ?? '';
  if (key === '') throw usageError('keys set got no key: type it, or pipe it in.');
  if (/\s/.test(key)) throw usageError('keys set: a key has no white space in it.');
  if (!/^[\u0021-\u007E]+$/.test(key))
    throw usageError('keys set: the key has a character that no key has, such as a control or an invisible one.');
  output.hide(key);
  output.note(`kept in ${await (await openStoredKeys(host, output, signal)).save(provider, key)}`);
  return EXIT.answer;
}
