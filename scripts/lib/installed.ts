import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Returns the names of the packages in a `node_modules` folder, those with a scope in full. */
export function installedPackages(folder: string): readonly string[] {
  return readdirSync(folder)
    .filter((name) => !name.startsWith('.'))
    .flatMap((name) =>
      name.startsWith('@') ? readdirSync(join(folder, name)).map((each) => `${name}/${each}`) : [name],
    );
}

/** Returns the bytes of all files below a folder; links are not followed. */
export function sizeOf(folder: string): number {
  let bytes = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true }))
    if (entry.isFile()) bytes += lstatSync(join(entry.parentPath, entry.name)).size;
  return bytes;
}
