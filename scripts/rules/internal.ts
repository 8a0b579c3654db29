import { existsSync, globSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { importsOf } from '../lib/imports.ts';
import type { Problem, Rule } from '../lib/problem.ts';
import { publishedFolders, readManifest } from '../lib/projects.ts';

const NAME = '@kernel/internal';
const FOLDER = 'packages/internal';

/** The files of the package, all of them: a new one needs a change of ADR 0007. */
const FILES: ReadonlySet<string> = new Set([
  'abort.ts',
  'address-secrets.ts',
  'bytes.ts',
  'error-message.ts',
  'find-program.ts',
  'index.ts',
  'input-digest.ts',
  'json.ts',
  'key-shapes.ts',
  'nearest.ts',
  'platform.ts',
  'process-groups.ts',
  'process-identity.ts',
  'redact.ts',
  'secret-search.ts',
  'sha256.ts',
  'timers.ts',
  'truncate.ts',
  'visible.ts',
  'well-formed.ts',
]);

/**
 * Internal: `packages/internal` stays small and unpublished. Its list of files is frozen, nobody depends on it at run
 * time, and no built module or declaration imports it (ADR 0007).
 */
export const internal: Rule = (root) => {
  const problem = (file: string, message: string): Problem => ({ rule: 'internal', file, message });
  if (!existsSync(join(root, FOLDER))) return [];
  const files = globSync(`${FOLDER}/src/**/*.ts`, { cwd: root }).toSorted();
  const problems = files
    .filter((file) => !FILES.has(file.split(sep).slice(3).join('/')))
    .map((file) => problem(file, 'is not in the frozen list. Keep the function in the package that uses it.'));
  if (readManifest(root, FOLDER).private !== true) problems.push(problem(FOLDER, 'must be private.'));
  for (const folder of publishedFolders(root)) {
    const { dependencies, peerDependencies, optionalDependencies } = readManifest(root, folder);
    if (NAME in { ...dependencies, ...peerDependencies, ...optionalDependencies })
      problems.push(
        problem(`${folder}/package.json`, `depends on ${NAME}: it is a devDependency, bundled at build time.`),
      );
    for (const file of globSync(`${folder}/dist/**/*.{js,d.ts}`, { cwd: root }))
      if (importsOf(readFileSync(join(root, file), 'utf8')).some(({ specifier }) => isInternal(specifier)))
        problems.push(problem(file, `imports ${NAME}, which users cannot install.`));
  }
  return problems;
};

function isInternal(specifier: string): boolean {
  return specifier === NAME || specifier.startsWith(`${NAME}/`);
}
