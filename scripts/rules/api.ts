import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { keepDeprecations } from '../lib/api-text.ts';
import type { Problem } from '../lib/problem.ts';
import { declarationEntries, publishedFolders } from '../lib/projects.ts';
import type { ExportedName } from '../lib/ts.ts';
import { readText } from '../lib/read-text.ts';

/** The public surface: `api.txt` of each package equals the exported names and signatures of its built entry points. */
export function api(root: string, exportsOf: (file: string) => readonly ExportedName[]): readonly Problem[] {
  return publishedFolders(root).flatMap((folder): readonly Problem[] => {
    const file = `${folder}/api.txt`;
    const text = surfaceOf(root, folder, exportsOf);
    const committed = readText(root, file);
    if (committed === text) return [];
    const line = 1 + text.split('\n').findIndex((each, index) => each !== committed.split('\n')[index]);
    return [
      { rule: 'api', file, line, message: 'the public surface has changed. Run pnpm tidy:fix and add a changeset.' },
    ];
  });
}

/** Updates every `api.txt`. Throws for a package that is not built. */
export function writeApi(root: string, exportsOf: (file: string) => readonly ExportedName[]): void {
  for (const folder of publishedFolders(root))
    writeFileSync(join(root, folder, 'api.txt'), surfaceOf(root, folder, exportsOf));
}

function surfaceOf(root: string, folder: string, exportsOf: (file: string) => readonly ExportedName[]): string {
  let text = '';
  for (const [subpath, file] of [...declarationEntries(root, folder)].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const names = exportsOf(file);
    if (names.length === 0) throw new Error(`${file} exports nothing: it is not built, or not wholly. Run: pnpm build`);
    text += `# ${subpath}\n\n`;
    for (const { name, text: declaration, comments } of names.toSorted((a, b) => (a.name < b.name ? -1 : 1)))
      text += `## ${name}\n${keepDeprecations(`${comments}\n${declaration}`)}\n\n`;
  }
  return text === '' ? 'This package exports nothing to import.\n' : text.trimEnd() + '\n';
}
