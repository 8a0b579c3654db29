import type { CommandCall } from '../command-call.ts';
import { openStoredKeys } from '../credentials/stored-keys.ts';
import { EXIT, usageError } from '../exit-code.ts';
import { decodeText } from '../files/read-file.ts';
import { providers } from '../model/providers.ts';
import { keyFor, VENDORS } from '../model/vendors.ts';
import { oneLine } from '../output/escape.ts';
import { writeRows } from '../output/terminal/table.ts';
import { readStdin } from '../prompt/read-stdin.ts';
import { askSecret, hasTerminal } from '../questions/ask.ts';

/** Prints which providers have a key, and where it is: a variable of the environment, the keyring or the file. Never a key. */
export async function listKeys(call: CommandCall): Promise<number> {
  const { host, output, signal } = call;
  const found = [...VENDORS.keys()].flatMap((provider) => {
    const key = keyFor(provider, host.env);
    return key === undefined ? [] : [{ provider, where: key.variable }];
  });
  const all = [...found, ...(await openStoredKeys(host, output, signal)).list];
  writeRows(
    call,
    all,
    all.map(({ provider, where }) => [provider, oneLine(where, 300)]),
  );
  if (all.length === 0) output.note('There is no key. Keep one with prompt-agent keys set PROVIDER.');
  return EXIT.answer;
}

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

/** Keeps the key of a provider: typed on the terminal without being shown, or read from stdin. Never an argument, which other users could see. */
export async function setKey(call: CommandCall): Promise<number> {
  const { words, host, output, signal } = call;
  const [provider = ''] = words;
  if (!providers.names.includes(provider))
    throw usageError(`keys set needs the name of a provider, one of ${providers.names.join(', ')}.`);
  const typed = hasTerminal(host)
    ? await askSecret(host, output, `Key of ${provider} (not shown):`, signal)
    : decodeText(await readStdin(call, 'needed'));
  const key = typed?.trim() ?? '';
  if (key === '') throw usageError('keys set got no key: type it, or pipe it in.');
  if (/\s/.test(key)) throw usageError('keys set: a key has no white space in it.');
  if (!/^[\u0021-\u007E]+$/.test(key))
    throw usageError('keys set: the key has a character that no key has, such as a control or an invisible one.');
  output.hide(key);
  output.note(`kept in ${await (await openStoredKeys(host, output, signal)).save(provider, key)}`);
  return EXIT.answer;
}
