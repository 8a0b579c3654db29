import { join } from 'node:path';
import { configFolder } from '../config/folders.ts';
import type { KeyEntry } from '../config/state-schemas.ts';
import { changeState, readState } from '../config/state-file.ts';
import { readText } from '../files/read-file.ts';
import type { Host } from '../host.ts';
import { oneLine } from '../output/escape.ts';
import { usageError } from '../usage-error.ts';
import { systemKeyring } from './keyring.ts';

/** A key that the user keeps with `keys set`. */
export interface StoredKey {
  /** The name of the provider. */
  readonly provider: string;
  /** The file or the keyring that holds it. */
  readonly where: string;
}

/** The keys that the user keeps. */
export interface StoredKeys {
  /** The keys there are, by the names of their providers, sorted. Not the keys themselves. */
  readonly list: readonly StoredKey[];
  /** Returns the key of a provider; undefined if there is none. Rejects with a usage error if the keyring that has it does not give it. */
  find(provider: string): Promise<string | undefined>;
  /** Keeps a key, in the keyring of the system if it has one, else in a file that only the user can read. Returns where. */
  save(provider: string, key: string): Promise<string>;
  /** Forgets a key. Returns whether there was one. */
  remove(provider: string): Promise<boolean>;
}

/** Opens the list of keys. The keyring is asked only for a key that it has. */
export async function openStoredKeys(
  host: Pick<Host, 'env' | 'home'>,
  signal: AbortSignal,
  platform: NodeJS.Platform = process.platform,
): Promise<StoredKeys> {
  const path = join(configFolder(host), 'keys.json');
  const entries = new Map(await readState(path, async () => (await import('../config/state-schemas.ts')).keySchema));
  /** Changes the entry of one provider in what the file holds by now: another process may have written meanwhile. */
  const change = async (provider: string, entry: KeyEntry | undefined): Promise<void> => {
    await changeState(path, async () => {
      const { [provider]: _, ...others } = await readForChange(path);
      return entry === undefined ? others : { ...others, [provider]: entry };
    });
    if (entry === undefined) entries.delete(provider);
    else entries.set(provider, entry);
  };
  return {
    list: [...entries]
      .map(([provider, entry]) => ({ provider, where: 'key' in entry ? path : entry.keyring }))
      .toSorted((a, b) => (a.provider < b.provider ? -1 : 1)),
    async find(provider) {
      const entry = entries.get(provider);
      if (entry === undefined || 'key' in entry) return entry?.key;
      const key = await (await systemKeyring(platform, signal))?.find(provider, signal);
      signal.throwIfAborted();
      if (key !== undefined) return key;
      throw usageError(
        `The key of ${provider} is in the keyring (${oneLine(entry.keyring, 40)}), which does not give it. Unlock it, or keep the key again: prompt-agent keys set ${provider}.`,
      );
    },
    async save(provider, key) {
      await readForChange(path);
      const keyring = await systemKeyring(platform, signal);
      const isKept =
        keyring !== undefined &&
        (await keyring.save(provider, key, signal).then(
          () => true,
          () => false,
        ));
      await change(provider, isKept ? { keyring: keyring.name } : { key });
      return isKept ? keyring.name : path;
    },
    async remove(provider) {
      const entry = entries.get(provider);
      if (entry === undefined) return false;
      if ('keyring' in entry) await (await systemKeyring(platform, signal))?.remove(provider, signal);
      await change(provider, undefined);
      return true;
    },
  };
}

/** Reads the file before it is written: one that cannot be read is a usage error, so that nothing in it is lost. */
async function readForChange(path: string): Promise<Readonly<Record<string, unknown>>> {
  const text = await readText(path, 'keys');
  try {
    const json: unknown = JSON.parse(text ?? '{}');
    if (typeof json === 'object' && json !== null && !Array.isArray(json)) return { ...json };
  } catch {
    // Reported below, like JSON that is not an object.
  }
  throw usageError(`${path} is not a JSON object, and was not changed. Correct it, or remove it.`);
}
