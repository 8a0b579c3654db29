import { existsSync, readFileSync } from 'node:fs';
import { sep } from 'node:path';
import { importsOf, targetOf } from './imports.ts';
import { declarationEntries } from './projects.ts';

/** Every declaration file that an entry point of a package leads to, absolute. */
export function publicDeclarations(root: string, folder: string): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (file: string): void => {
    if (found.has(file) || !existsSync(file)) return;
    found.add(file);
    for (const { specifier } of importsOf(readFileSync(file, 'utf8'))) {
      const target = targetOf(file.split(sep).join('/'), specifier);
      if (target !== undefined) visit(target.replace(/\.[jt]s$/, '.d.ts').replace(/\.d\.d\.ts$/, '.d.ts'));
    }
  };
  for (const file of declarationEntries(root, folder).values()) visit(file);
  return found;
}
