import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { DirectoryEntry, ListOptions } from '../types.ts';
import { typeOf } from './guard.ts';
import type { OpenPath } from './open-path.ts';
import { isTemporary } from './replace-file.ts';

export function listFolder(folder: OpenPath, { sizes = false }: ListOptions): readonly DirectoryEntry[] {
  const self = folder.self();
  return readdirSync(self, { withFileTypes: true })
    .filter(({ name }) => !isTemporary(name))
    .map((entry): DirectoryEntry => {
      if (!sizes || !entry.isFile()) return { name: entry.name, type: typeOf(entry) };
      const stats = lstatSync(join(self, entry.name), { throwIfNoEntry: false });
      return { name: entry.name, type: 'file', ...(stats === undefined ? {} : { size: stats.size }) };
    });
}
