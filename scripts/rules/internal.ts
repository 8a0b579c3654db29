import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, join, sep } from 'node:path';
import { importsOf, targetOf } from '../lib/imports.ts';
import type { Problem, Rule } from '../lib/problem.ts';
import { declarationEntries, publishedFolders, readManifest } from '../lib/projects.ts';

const NAME = '@kernel/internal';
const FOLDER = 'packages/internal';

/** The files of the package, all of them: a new one needs a change of ADR 0007. */
const FILES: ReadonlySet<string> = new Set(['abort.ts', 'index.ts', 'json.ts', 'nearest.ts', 'redact.ts', 'timers.ts']);

/** The most lines of all its files together. */
export const MAX_INTERNAL_LINES = 250;

/**
 * Internal: `packages/internal` stays small and unpublished. Its list of files is frozen, it has at most `MAX_INTERNAL_LINES` lines,
 * nobody depends on it at run time, and neither a built module nor a declaration that an entry point leads to mentions it (ADR 0007).
 */
export const internal: Rule = (root) => {
  const problem = (file: string, message: string): Problem => ({ rule: 'internal', file, message });
  if (!existsSync(join(root, FOLDER))) return [];
  const files = globSync(`${FOLDER}/src/**/*.ts`, { cwd: root }).toSorted();
  const lines = files.reduce((sum, file) => sum + readFileSync(join(root, file), 'utf8').split('\n').length - 1, 0);
  const problems = files
    .filter((file) => !FILES.has(basename(file)) || file.split(sep).length !== 4)
    .map((file) => problem(file, 'is not in the frozen list. Keep the function in the package that uses it.'));
  if (lines > MAX_INTERNAL_LINES)
    problems.push(problem(FOLDER, `has ${lines} lines; at most ${MAX_INTERNAL_LINES}. It is not a utility package.`));
  if (readManifest(root, FOLDER).private !== true) problems.push(problem(FOLDER, 'must be private.'));
  for (const folder of publishedFolders(root)) {
    const { dependencies = {}, peerDependencies = {} } = readManifest(root, folder);
    if (NAME in dependencies || NAME in peerDependencies)
      problems.push(
        problem(`${folder}/package.json`, `depends on ${NAME}: it is a devDependency, bundled at build time.`),
      );
    for (const file of globSync(`${folder}/dist/**/*.js`, { cwd: root }))
      if (importsOf(readFileSync(join(root, file), 'utf8')).some(({ specifier }) => specifier === NAME))
        problems.push(problem(file, `imports ${NAME}, which users cannot install.`));
    for (const file of publicDeclarations(root, folder))
      if (importsOf(readFileSync(file, 'utf8')).some(({ specifier }) => specifier === NAME))
        problems.push(problem(file.slice(root.length + 1), `an entry point leads to this file, and it names ${NAME}.`));
  }
  return problems;
};

/** Every declaration file that an entry point of a package leads to, absolute. */
function publicDeclarations(root: string, folder: string): ReadonlySet<string> {
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
