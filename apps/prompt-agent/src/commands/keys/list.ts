import type { CommandCall } from '../../command-call.ts';
import { openStoredKeys } from '../../credentials/stored-keys.ts';
import { EXIT } from '../../exit-code.ts';
import { keyFor, VENDORS } from '../../model/vendors.ts';
import { oneLine } from '../../output/escape.ts';
import { tableOf } from '../../output/terminal/table.ts';

/** Prints which providers have a key, and where it is: a variable of the environment, the keyring or the file. Never a key. */
export async function listKeys({ flags, host, output, signal }: CommandCall): Promise<number> {
  const found = [...VENDORS.keys()].flatMap((provider) => {
    const key = keyFor(provider, host.env);
    return key === undefined ? [] : [{ provider, where: key.variable }];
  });
  const all = [...found, ...(await openStoredKeys(host, output, signal)).list];
  if (flags.json === true) output.writeJson(all, 2);
  else
    for (const line of tableOf(all.map(({ provider, where }) => [provider, oneLine(where, 300)])))
      output.write(`${line}\n`);
  if (all.length === 0) output.note('There is no key. Keep one with prompt-agent keys set PROVIDER.');
  return EXIT.answer;
}
