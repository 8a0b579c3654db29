import { globSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, matchesGlob, normalize, relative } from 'node:path';
import { readManifest, workspaceFolders } from './projects.ts';

/** What decides whether the tests of a package run again or their outcome comes from the cache. */
export interface TestInputs {
  /** The folder of the package, relative to the root. */
  readonly folder: string;
  /** Whether a change of the file, a path relative to the root, makes the tests run again. */
  readonly covers: (file: string) => boolean;
  /** The variables of the environment that do. */
  readonly env: readonly string[];
}

interface Task {
  readonly inputs?: readonly string[];
  readonly env?: readonly string[];
}

interface TurboConfig {
  readonly globalDependencies?: readonly string[];
  readonly tasks: Readonly<Record<string, Task>>;
}

interface WithDependencies {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/** Reads the inputs of each package's `test` task, or of `test:slow` where it has no other, from `turbo.json`. The sources and manifests of workspace packages that it depends on are inputs by `^`. */
export function testInputs(root: string): readonly TestInputs[] {
  const turbo = JSON.parse(readFileSync(join(root, 'turbo.json'), 'utf8')) as TurboConfig;
  const folders = new Map(workspaceFolders(root).map((folder) => [readManifest(root, folder).name, folder]));
  const dependencies = (name: string, seen: Set<string>): ReadonlySet<string> => {
    const folder = folders.get(name);
    if (folder === undefined || seen.has(folder)) return seen;
    seen.add(folder);
    const manifest = readManifest(root, folder) as WithDependencies;
    for (const dependency of Object.keys({ ...manifest.dependencies, ...manifest.devDependencies }))
      dependencies(dependency, seen);
    return seen;
  };
  return [...folders].map(([name, folder]) => {
    const task = turbo.tasks[`${name}#test`] ?? turbo.tasks[`${name}#test:slow`] ?? turbo.tasks['test'] ?? {};
    const globs = [
      ...(turbo.globalDependencies ?? []),
      ...(task.inputs ?? []).map((glob) => normalize(join(folder, glob))),
      ...[...dependencies(name, new Set())].flatMap((other) => [`${other}/src/**`, `${other}/package.json`]),
    ];
    return { folder, covers: (file) => globs.some((glob) => matchesGlob(file, glob)), env: task.env ?? [] };
  });
}

/** The files outside of its package and the variables of the environment that the text of a test or of its helpers names. */
export function readsOf(
  root: string,
  file: string,
): { readonly files: readonly string[]; readonly env: readonly string[] } {
  const text = readFileSync(join(root, file), 'utf8');
  const paths = [
    ...text.matchAll(/(?:from |import |import\(|new URL\(|resolve\(import\.meta\.dirname, )'(\.\.\/[^']*)'/g),
  ];
  const files = paths.map(([, path = '']) => relative('.', normalize(join(dirname(file), path))));
  // A variable that the file sets or that every test has is no input.
  const own = new Set([...text.matchAll(/process\.env\['(\w+)'\] = /g)].map(([, name]) => name));
  const read = [...text.matchAll(/process\.env\['(\w+)'\]|sharedData\('[^']*', '(\w+)'/g)].map(
    ([, a, b]) => a ?? b ?? '',
  );
  // What is built or installed depends on other inputs.
  const isSource = (path: string): boolean =>
    !/(?:^|\/)(?:dist|node_modules)(?:\/|$)/.test(path) &&
    statSync(join(root, path), { throwIfNoEntry: false })?.isFile() === true;
  return { files: files.filter(isSource), env: read.filter((name) => !own.has(name)) };
}

/** The test files of a package and their helpers, relative to the root. */
export function testFiles(root: string, folder: string): readonly string[] {
  return globSync(
    [
      `${folder}/test/**/*.ts`,
      ...(folder.startsWith('packages/') || folder.startsWith('apps/')
        ? []
        : [`${folder}/*.ts`, `${folder}/**/*.test.ts`]),
    ],
    {
      cwd: root,
      exclude: (name) => name === 'node_modules' || name === 'dist',
    },
  ).toSorted();
}
