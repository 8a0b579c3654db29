import { join } from 'node:path';
import type { KeyEntry } from '../config/file-schemas.ts';
import { configFolder } from '../config/folders.ts';
import { changeState, readState } from '../config/state-file.ts';
import { usageError } from '../exit-code.ts';
import type { Host } from '../host.ts';
import { oneLine } from '../output/escape.ts';
import { type Output, warnIfSlow } from '../output/output.ts';
import type { Keyring } from './keyring.ts';

/** Opens the list of keys. The keyring is asked only for a key that it has. A damaged list, and a keyring that keeps one waiting, are told of on the output. */
export async function openStoredKeys(
  host: Pick<Host, 'env' | 'home'>,
  output: Pick<Output, 'alert'>,
  signal: AbortSignal,
  platform: NodeJS.Platform = process.platform,
) {
  const path = join(configFolder(host), 'keys.json');
  const { damage, entries } = await readState(path, async () => (await import('../config/file-schemas.ts')).keySchema);
  if (damage !== undefined) output.alert(damage);
  /** Uses the keyring, which may ask the user to unlock it. */
  const withKeyring = async <Value>(use: (keyring: Keyring) => Promise<Value>): Promise<Value | undefined> => {
    const stopWarning = warnIfSlow(output, 'the keyring of this system');
    try {
      const { systemKeyring } = await import('./keyring.ts');
      const keyring = await systemKeyring(platform, signal);
      return keyring === undefined ? undefined : await use(keyring);
    } finally {
      stopWarning();
    }
  };
  /** Changes the entry of one provider in what the file holds by now: another process may have written meanwhile. */
  const change = async (provider: string, entry: KeyEntry | undefined): Promise<void> => {
    await changeState(path, (json, problem) => {
      if (problem !== undefined) throw unreadable(path);
      const { [provider]: _, ...others } = json;
      return entry === undefined ? others : { ...others, [provider]: entry };
    });
    if (entry === undefined) entries.delete(provider);
    else entries.set(provider, entry);
  };
  return {
    /** The keys there are, by the names of their providers, sorted. Not the keys themselves. */
    list: [...entries]
      .map(([provider, entry]) => ({ provider, where: 'key' in entry ? path : entry.keyring }))
      .toSorted((a, b) => (a.provider < b.provider ? -1 : 1)),
    /** Returns the key of a provider; undefined if there is none. Rejects with a usage error if the keyring that has it does not give it. */
    async find(provider: string): Promise<string | undefined> {
      const entry = entries.get(provider);
      if (entry === undefined || 'key' in entry) return entry?.key;
      const key = await withKeyring((keyring) => keyring.find(provider, signal));
      signal.throwIfAborted();
      if (key !== undefined) return key;
      throw usageError(
        `The key of ${provider} is in the keyring (${oneLine(entry.keyring, 40)}), which does not give it. Unlock it, or keep the key again: prompt-agent keys set ${provider}.`,
      );
    },
    /** Keeps a key, in the keyring of the system if it has one, else in a file that only the user can read. Returns where. */
    async save(provider: string, key: string): Promise<string> {
      if (damage !== undefined) throw unreadable(path);
      const keptIn = await withKeyring((keyring) =>
        keyring.save(provider, key, signal).then(
          () => keyring.name,
          () => undefined,
        ),
      );
      await change(provider, keptIn === undefined ? { key } : { keyring: keptIn });
      return keptIn ?? path;
    },
    /** Forgets a key. Returns whether there was one. */
    async remove(provider: string): Promise<boolean> {
      const entry = entries.get(provider);
      if (entry === undefined) return false;
      if ('keyring' in entry) await withKeyring((keyring) => keyring.remove(provider, signal));
      await change(provider, undefined);
      return true;
    },
  };
}

export type StoredKeys = Awaited<ReturnType<typeof openStoredKeys>>;

/** A file that is damaged is not changed, so that no key in it is lost. */
function unreadable(path: string): Error {
  return usageError(`${path} is not a JSON object, and was not changed. Correct it, or remove it.`);
}
