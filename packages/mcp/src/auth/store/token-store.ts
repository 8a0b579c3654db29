import { constants } from 'node:fs';
import { mkdir, open, readFile, rename, stat, unlink } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { createLock, errorMessage, isObject, parseJson, sha256Hex, untilAborted } from '@kernel/internal';
import { KernelError } from '@kernel/protocol';
import { hasCode, withFileLock } from './file-lock.ts';

/**
 * Keeps what signing in has given, by a key of server and client. All of it is secret: an access token, mostly a refresh token, and the client that
 * this program has registered.
 */
export interface TokenStore {
  /** Returns what was saved under a key, or undefined. */
  load(key: string): Promise<string | undefined>;
  /** Saves a text under a key, in place of what is there. */
  save(key: string, text: string): Promise<void>;
  /** Removes what was saved under a key, if anything was. */
  remove(key: string): Promise<void>;
  /**
   * Runs `work` while nobody else who shares the store runs theirs for the same key: of two that want to refresh a token, the second one finds
   * what the first has saved. Rejects with the signal's reason on abort.
   */
  exclusively<T>(key: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
}

/** Keeps tokens in memory, until the process ends. */
export function memoryTokenStore(): TokenStore {
  const texts = new Map<string, string>();
  const exclusively = createKeyedLock();
  return {
    load: (key) => Promise.resolve(texts.get(key)),
    save(key, text) {
      texts.set(key, text);
      return Promise.resolve();
    },
    remove(key) {
      texts.delete(key);
      return Promise.resolve();
    },
    exclusively,
  };
}

/** Creates what runs the work of this process one piece at a time for each key, in call order. */
function createKeyedLock(): TokenStore['exclusively'] {
  const locks = new Map<string, ReturnType<typeof createLock>>();
  return (key, work, signal) => {
    const lock = locks.get(key) ?? createLock();
    locks.set(key, lock);
    const turn = lock(() => {
      signal?.throwIfAborted();
      return work();
    });
    return untilAborted(turn, signal);
  };
}

/** A pipe in place of the file is empty, and does not block. */
const READ = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

const VERSION = 1;
/** More than any number of sign-ins needs; a larger file is none of ours. */
const MAX_BYTES = 16 * 1024 * 1024;

/**
 * Keeps tokens in a file that only its owner can read (mode 0600), for any number of processes: it is replaced as a
 * whole, and one process at a time changes it or refreshes a token. A file that cannot be read as one is set aside, and
 * the error says where.
 */
export function fileTokenStore(path: string): TokenStore {
  const file = resolve(path);
  const inTurn = createKeyedLock();
  /** Changes the file if `change` returns true. */
  const update = (change: (texts: Map<string, string>) => boolean): Promise<void> =>
    inTurn('', async () => {
      await mkdir(dirname(file), { recursive: true, mode: 0o700 });
      await withFileLock(file, async () => {
        const texts = (await readTexts(file)) ?? (await setAside(file));
        if (change(texts)) await writeTexts(file, texts);
      });
    }).catch((error: unknown) => {
      throw storeError(file, error);
    });
  return {
    async load(key) {
      const texts = await readTexts(file).catch((error: unknown) => {
        throw storeError(file, error);
      });
      // Damaged: looked at again, and set aside, by one process at a time.
      if (texts === undefined) await update(() => false);
      return texts?.get(key);
    },
    save: (key, text) =>
      update((texts) => {
        const isNew = texts.get(key) !== text;
        texts.set(key, text);
        return isNew;
      }),
    remove: (key) => update((texts) => texts.delete(key)),
    exclusively: (key, work, signal) =>
      inTurn(
        `key ${key}`,
        async () => {
          await mkdir(dirname(file), { recursive: true, mode: 0o700 });
          return withFileLock(`${file}.${sha256Hex(key).slice(0, 16)}`, work, signal);
        },
        signal,
      ),
  };
}

/** What the file holds, by key; undefined if it is damaged. */
async function readTexts(file: string): Promise<Map<string, string> | undefined> {
  let text: string;
  try {
    const { size } = await stat(file);
    if (size > MAX_BYTES) return undefined;
    text = await readFile(file, { encoding: 'utf8', flag: READ });
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return new Map();
    throw error;
  }
  const value = parseJson(text);
  if (!isObject(value) || typeof value['version'] !== 'number' || !isObject(value['tokens'])) return undefined;
  if (value['version'] !== VERSION)
    throw new KernelError('CONFIG_INVALID', `The token file ${file} has the version ${value['version']}.`, {
      hint: `This program reads version ${VERSION}: update it, or use another file.`,
    });
  const entries = Object.entries(value['tokens']).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return new Map(entries);
}

/** Replaces the file as a whole. */
async function writeTexts(file: string, texts: ReadonlyMap<string, string>): Promise<void> {
  const next = `${file}.${crypto.randomUUID()}.new`;
  try {
    const handle = await open(next, 'wx', 0o600);
    try {
      await handle.writeFile(`${JSON.stringify({ version: VERSION, tokens: Object.fromEntries(texts) })}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(next, file);
  } catch (error) {
    await unlink(next).catch(() => undefined);
    throw error;
  }
}

/** Sets a damaged file aside, and throws what to do. */
async function setAside(file: string): Promise<never> {
  const aside = `${file}.damaged-${Date.now()}`;
  await rename(file, aside);
  throw new KernelError('STORE_FAILED', `The token file ${file} is damaged; it was set aside as ${aside}.`, {
    hint: 'Sign in again. The tokens in the old file may still be valid: restore it from a backup, or delete it.',
    retryable: true,
  });
}

function storeError(file: string, error: unknown): unknown {
  if (KernelError.is(error) || (error instanceof Error && error.name === 'AbortError')) return error;
  return new KernelError(
    'STORE_FAILED',
    `The token file ${file} could not be read or written: ${errorMessage(error)}.`,
    {
      hint: 'Check that its folder exists and that this user may write to it.',
      cause: error,
    },
  );
}
