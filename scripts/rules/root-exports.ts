import type { Problem } from '../lib/problem.ts';
import { declarationEntries, publishedFolders } from '../lib/projects.ts';
import type { ExportedName } from '../lib/ts.ts';

/** How many names the root entry of a package may export, types counted. More belongs to a subpath. */
const MAX_EXPORTS: Readonly<Record<string, number>> = {
  'packages/tools': 60,
  'packages/agent': 60,
  'packages/providers': 40,
};

/** Root exports: what a reader meets first stays small enough to read. */
export function rootExports(root: string, exportsOf: (file: string) => readonly ExportedName[]): readonly Problem[] {
  return publishedFolders(root).flatMap((folder): readonly Problem[] => {
    const file = declarationEntries(root, folder).get('.');
    const most = MAX_EXPORTS[folder];
    if (file === undefined || most === undefined) return [];
    const count = exportsOf(file).length;
    if (count <= most) return [];
    return [
      { rule: 'root-exports', file: `${folder}/src/index.ts`, message: `exports ${count} names; at most ${most}.` },
    ];
  });
}
