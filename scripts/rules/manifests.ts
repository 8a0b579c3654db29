import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { importsOf } from '../lib/imports.ts';
import type { Problem } from '../lib/problem.ts';
import { publishedFolders, sourceFiles } from '../lib/projects.ts';
import { readText } from '../lib/read-text.ts';

interface FullManifest {
  readonly [field: string]: unknown;
  readonly license?: string;
  readonly engines?: { readonly node?: string };
  readonly repository?: unknown;
  readonly files?: readonly string[];
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

const SECURITY = 'SECURITY.md';

/** What a package does before and after it is packed, and before it is published by hand: `scripts/prepack.ts` and `scripts/refuse-publish.ts`. */
export const GUARDS: Readonly<Record<string, string>> = {
  prepack: 'pnpm --workspace-root run prepack-package $npm_package_name $npm_config_user_agent',
  postpack: 'pnpm --workspace-root run postpack-package $npm_package_name --done',
  prepublishOnly: 'pnpm --workspace-root run refuse-publish',
};

/** What is packed besides the code, the README and the license. */
export const DOCUMENTS = ['docs', 'CHANGELOG.md', 'errors.md', 'llms.txt'];

/**
 * Manifests: every published package has the license and the Node range of the root, a `repository` exactly if the root has one, the
 * same guards around packing and publishing, and its documents among its files. The owner writes the address once, in the root; `tidy --fix` gives it to the packages. Every run-time dependency is in the list of `SECURITY.md`.
 */
export function manifests(root: string): readonly Problem[] {
  const top = read(root, '.');
  const readme = readFileSync(join(root, 'README.md'), 'utf8');
  const floor = top.engines?.node?.replace('>=', '') ?? '';
  const problems: Problem[] = [];
  if (!readme.includes(floor))
    problems.push({
      rule: 'manifests',
      file: 'README.md',
      message: `does not say that the packages need Node ${floor}.`,
    });
  const listed = readText(root, SECURITY);
  for (const folder of publishedFolders(root)) {
    const file = `${folder}/package.json`;
    const manifest = read(root, folder);
    for (const name of [
      ...Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }),
      ...bundledInto(root, folder, manifest),
    ])
      if (!name.startsWith('@kernel/') && !listed.includes(`| \`${name}\``))
        problems.push({ rule: 'manifests', file, message: `depends on ${name}, which ${SECURITY} does not list.` });
    if (manifest.license !== top.license)
      problems.push({
        rule: 'manifests',
        file,
        message: `has the license "${manifest.license}", not "${top.license}".`,
      });
    if (manifest.engines?.node !== top.engines?.node)
      problems.push({
        rule: 'manifests',
        file,
        message: `asks for another Node than the root (${top.engines?.node}).`,
      });
    for (const [name, script] of Object.entries(GUARDS)) {
      const given = manifest.scripts?.[name];
      if (given !== script)
        problems.push({ rule: 'manifests', file, message: `has the ${name} script "${given}", not "${script}".` });
    }
    const unpacked = DOCUMENTS.filter((document) => !manifest.files?.includes(document));
    if (unpacked.length > 0)
      problems.push({ rule: 'manifests', file, message: `does not pack ${unpacked.join(', ')}: add them to files.` });
    if (JSON.stringify(manifest.repository) !== JSON.stringify(repositoryOf(top, folder)))
      problems.push({ rule: 'manifests', file, message: 'its repository differs from the root’s. Run: pnpm tidy:fix' });
  }
  return problems;
}

/** The development dependencies that the sources import: they are bundled. */
function bundledInto(root: string, folder: string, { devDependencies = {} }: FullManifest): readonly string[] {
  const imported = new Set(
    sourceFiles(root)
      .filter((file) => file.startsWith(`${folder}/src/`))
      .flatMap((file) => importsOf(readFileSync(join(root, file), 'utf8')).map(({ specifier }) => specifier)),
  );
  return Object.keys(devDependencies).filter((name) =>
    [...imported].some((specifier) => specifier === name || specifier.startsWith(`${name}/`)),
  );
}

/** Writes the root's `repository` into every published manifest, or removes it if the root has none. */
export function writeRepository(root: string): void {
  const top = read(root, '.');
  for (const folder of publishedFolders(root)) {
    const { repository: old, ...rest } = read(root, folder);
    const repository = repositoryOf(top, folder);
    if (JSON.stringify(old) === JSON.stringify(repository)) continue;
    const fields = Object.entries(rest);
    const at = fields.findIndex(([name]) => name === 'license') + 1;
    if (repository !== undefined) fields.splice(at, 0, ['repository', repository]);
    writeFileSync(join(root, folder, 'package.json'), `${JSON.stringify(Object.fromEntries(fields), undefined, 2)}\n`);
  }
}

function repositoryOf({ repository }: FullManifest, folder: string): unknown {
  return typeof repository === 'object' && repository !== null ? { ...repository, directory: folder } : undefined;
}

function read(root: string, folder: string): FullManifest {
  return JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as FullManifest;
}
