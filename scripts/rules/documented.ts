import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { Problem } from '../lib/problem.ts';
import { declarationEntries, publishedFolders } from '../lib/projects.ts';
import type { ExportedName } from '../lib/ts.ts';

/**
 * Documented: in the published declarations, every export and every member of an exported interface has a doc comment, and each entry point has an example.
 * So do the members of object types inside an interface, a type alias or a function; a variant of a type alias may be described as a whole instead.
 * `docs` checks the sources line by line; this rule also sees what is nested, inherited, re-exported and merged.
 */
export function documented(root: string, exportsOf: (file: string) => readonly ExportedName[]): readonly Problem[] {
  return publishedFolders(root).flatMap((folder) =>
    [...declarationEntries(root, folder)].flatMap(([subpath, file]): readonly Problem[] => {
      const exported = exportsOf(file);
      const problem = (message: string): Problem => ({ rule: 'documented', file: relative(root, file), message });
      const silent = exported.flatMap(({ name, documentation, undocumented }) => [
        ...(documentation === '' ? [name] : []),
        ...undocumented.map((member) => `${name}.${member}`),
      ]);
      return [
        ...silent.map((name) => problem(`"${name}" has no doc comment.`)),
        ...(exported.length === 0 || exported.some(hasExample)
          ? []
          : [problem(`no export of "${subpath}" has an @example.`)]),
      ];
    }),
  );
}

/** Whether the doc comment of a function or constant has an example. */
function hasExample({ name, file }: ExportedName): boolean {
  const [before = '', ...rest] = readFileSync(file, 'utf8').split(
    new RegExp(`^export declare (?:function|const) ${name}\\b`, 'm'),
  );
  return (
    rest.length > 0 && before.trimEnd().endsWith('*/') && before.slice(before.lastIndexOf('/**')).includes('@example')
  );
}
