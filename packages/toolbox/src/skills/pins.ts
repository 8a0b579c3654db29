import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isObject } from '@kernel/internal';
import { withFileLock } from '../locks/file-lock.ts';
import type { SkillPin, SkillPins } from './types.ts';

const MAX_BYTES = 4 * 1024 * 1024;

/**
 * Stores decisions on skills in a JSON file that only the user can read; writes are atomic, and processes do not lose each other's decisions. A
 * missing or damaged file counts as empty: the user is asked again, and what is damaged stays beside it. Keep it where no tool can write.
 */
export function skillPins(path: string): SkillPins {
  return {
    find: async (folder) => (await readPins(path))?.get(folder),
    save: async (folder, pin) => {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await withFileLock(
        `${path}.lock`,
        async () => {
          const known = await readPins(path);
          if (known === undefined) await rename(path, `${path}.damaged-${randomBytes(6).toString('hex')}`);
          const pins = known ?? new Map<string, SkillPin>();
          pins.set(folder, pin);
          await replace(path, `${JSON.stringify(Object.fromEntries(pins), undefined, 2)}\n`);
        },
        undefined,
      );
    },
  };
}

export function memorySkillPins(): SkillPins {
  const pins = new Map<string, SkillPin>();
  return {
    find: async (folder) => pins.get(folder),
    save: async (folder, pin) => void pins.set(folder, pin),
  };
}

/** The decisions in a file; undefined for one that is damaged. */
async function readPins(path: string): Promise<Map<string, SkillPin> | undefined> {
  const pins = new Map<string, SkillPin>();
  try {
    if ((await stat(path)).size > MAX_BYTES) return undefined;
    const json: unknown = JSON.parse((await readFile(path, 'utf8')).replace(/^\uFEFF/, ''));
    if (!isObject(json)) return undefined;
    for (const [folder, value] of Object.entries(json))
      if (isPin(value)) pins.set(folder, { sha256: value.sha256, allowed: value.allowed });
    return pins;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ENOENT' ? pins : undefined;
  }
}

async function replace(path: string, text: string): Promise<void> {
  const next = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  const file = await open(next, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
    await file.close();
    await rename(next, path);
  } catch (error) {
    await file.close().catch(() => {});
    await rm(next, { force: true });
    throw error;
  }
}

function isPin(value: unknown): value is SkillPin {
  return isObject(value) && typeof value['sha256'] === 'string' && typeof value['allowed'] === 'boolean';
}
