import { cpSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { importsOf } from '../lib/imports.ts';
import { publishedFolders, readManifest } from '../lib/projects.ts';
import { systemProgram } from '../lib/system-program.ts';
import { npmInstall, type Source } from './empty-project.ts';
import { environmentOf, run, type NodeBinary } from './shell.ts';

/** The example programs, by file name, sorted. */
export function exampleNames(root: string): readonly string[] {
  return globSync('[0-9]*.ts', { cwd: join(root, 'examples') }).toSorted();
}

/** The packages of others that the examples import, in the versions that are installed here. */
export function dependenciesOfExamples(root: string): Readonly<Record<string, string>> {
  const files = globSync(['*.ts', 'servers/*.ts', 'web/*.ts'], { cwd: join(root, 'examples') });
  const imported = files.flatMap((file) =>
    importsOf(readFileSync(join(root, 'examples', file), 'utf8')).map(({ specifier }) => specifier),
  );
  const names = imported
    .filter((each) => !/^(?:\.|node:|@kernel\/)/.test(each))
    .map((each) => each.split('/', each.startsWith('@') ? 2 : 1).join('/'));
  const versionOf = (name: string): string =>
    (readManifest(root, `examples/node_modules/${name}`) as unknown as { readonly version: string }).version;
  return Object.fromEntries([...new Set(names)].toSorted().map((name) => [name, versionOf(name)]));
}

/** Puts the examples into a project that has all packages. */
export function copyExamples(root: string, project: string): void {
  for (const name of globSync(['*.ts', 'servers/**', 'web/**'], { cwd: join(root, 'examples') }))
    cpSync(join(root, 'examples', name), join(project, name), { recursive: true });
}

/** Runs an example as it is, without a network. It asserts what it shows. */
export async function runExample(root: string, node: NodeBinary, project: string, name: string): Promise<void> {
  const guard = join(root, 'test/setup/loopback-only.ts');
  const args = ['--unhandled-rejections=strict', '--import', guard, name];
  const env = environmentOf(node);
  const { stdout } = await run(`${node.name}: examples/${name} fails`, node.path, args, { cwd: project, env });
  if (stdout === '') throw new Error(`${node.name}: examples/${name} prints nothing.`);
}

/** Loads every entry point by `import` and by `require`. One may lack an optional package of another vendor, and says so. */
const LOADER = `
import { createRequire } from 'node:module';
const require = createRequire(import.meta.url);
const [, , optional, ...entries] = process.argv;
for (const entry of entries)
  for (const load of [(name) => import(name), async (name) => require(name)])
    await load(entry).catch((error) => {
      const missing = /Cannot find (?:package|module) '([^']+)'/.exec(error.message)?.[1];
      if (!optional.split(' ').includes(missing)) throw new Error(entry, { cause: error });
    });
console.log(entries.length);
`;

/** Loads every entry point of every package; with and without the condition for sources, which a user's tools may set too. Returns how many there are. */
export async function loadEveryEntry(root: string, node: NodeBinary, project: string): Promise<number> {
  const manifests = publishedFolders(root).map((folder) => readManifest(root, folder));
  const entries = manifests.flatMap(({ exports = {}, name }) =>
    Object.keys(exports).flatMap((key) => (key.endsWith('.json') ? [] : [name + key.slice(1)])),
  );
  const optional = manifests.flatMap(({ peerDependencies = {} }) => Object.keys(peerDependencies)).join(' ');
  writeFileSync(join(project, 'load.mjs'), LOADER);
  const env = environmentOf(node);
  for (const flags of [[], ['--conditions=@kernel/source']])
    await run(
      `${node.name}: an entry point does not load ${flags.join(' ')}`,
      node.path,
      [...flags, 'load.mjs', optional, ...entries],
      { cwd: project, env },
    );
  return entries.length;
}

/** Does what the README says: packs the packages, then, in an empty folder, `npm init`, `npm install`, and the program of twenty lines. */
export async function followReadme(root: string, node: NodeBinary, folder: string, source: Source): Promise<void> {
  const readme = readFileSync(join(root, 'README.md'), 'utf8');
  const packed = /`npx -y pnpm@\S+ tarballs (\S+)`/.exec(readme)?.[1];
  const others = new RegExp(`^npm install ${packed}/\\*\\.tgz ([^#\\n]+?) *#.*$`, 'm').exec(readme)?.[1]?.split(' ');
  const program = readmeProgram(root);
  const file = /^node (\S+\.mts)$/m.exec(readme)?.[1];
  if (others === undefined || file === undefined)
    throw new Error('README.md has no `pnpm tarballs` with its "npm install …" line or no "node ….mts" line.');
  mkdirSync(folder, { recursive: true });
  const env = environmentOf(node);
  const tarballs = join(folder, 'tarballs');
  await run('pnpm tarballs fails', process.execPath, ['scripts/pack.ts', tarballs], { cwd: root });
  await run(`${node.name}: npm init fails`, systemProgram('npm'), ['init', '-y'], { cwd: folder, env });
  await npmInstall(folder, node, [...globSync(join(tarballs, '*.tgz')), ...others], source);
  writeFileSync(join(folder, file), program);
  const { stdout } = await run(`${node.name}: the program of README.md fails`, node.path, [file], { cwd: folder, env });
  if (stdout !== 'Sunny in Lisbon.\n') throw new Error(`${node.name}: the program of README.md prints "${stdout}".`);
}

/** The first program of README.md, in TypeScript. */
export function readmeProgram(root: string): string {
  const readme = readFileSync(join(root, 'README.md'), 'utf8');
  const program = /^<!-- snippet: examples\/01-hello\.ts -->\s+```ts\n([\s\S]*?)```/m.exec(readme)?.[1];
  if (program === undefined) throw new Error('README.md has no program from examples/01-hello.ts.');
  return program;
}
