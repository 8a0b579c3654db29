/**
 * Empties `dist` of the package in the current folder and writes its JavaScript: one file for each entry point of its `exports`, `imports` and `bin`,
 * and chunks for code that they share or import lazily. Declarations come from `tsc`. Loading one file takes a tenth of the time of
 * loading sixty (ADR 0006).
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join, resolve, sep } from 'node:path';
import { rolldown } from 'rolldown';
import { lazySchemas } from './lib/lazy-schemas.ts';
import { licensesOf } from './lib/licenses.ts';
import { startChunks } from './lib/start-chunks.ts';

const folder = process.cwd();
const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
  readonly exports?: Readonly<Record<string, unknown>>;
  readonly imports?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly bin?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
};

const targets = [
  ...Object.values(manifest.exports ?? {}).flatMap((target) =>
    typeof target === 'object' && target !== null && 'default' in target ? [String(target.default)] : [],
  ),
  ...Object.values(manifest.bin ?? {}),
  // What each runtime takes in place of an import: a module of its own, which the runtime or its bundler chooses.
  ...Object.values(manifest.imports ?? {}).flatMap((choices) =>
    Object.values(choices).filter((target) => target.startsWith('./dist/')),
  ),
];
// ./dist/openai/index.js is made from src/openai/index.ts.
const names = targets.map((target) => target.replace(/^\.\/dist\//, '').replace(/\.js$/, ''));
const input = Object.fromEntries(names.map((name) => [name, join(folder, 'src', `${name}.ts`)]));

rmSync(join(folder, 'dist'), { recursive: true, force: true });
// What the manifest says of its own imports is decided where the package is loaded.
const installed = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies, ...manifest.imports });
const build = await rolldown({
  input,
  platform: 'node',
  // Its `paths` name declarations, which are not what runs.
  tsconfig: false,
  // What a user installs stays outside; anything else, such as the private package, is bundled, ours from its sources.
  resolve: { conditionNames: ['@kernel/source', 'node', 'import', 'default'] },
  external: (id) => installed.some((name) => id === name || id.startsWith(`${name}/`)) || isBuiltin(id),
  plugins: [lazySchemas],
  onLog(level, log) {
    if (level === 'warn') throw new Error(log.message);
  },
});
const groups = await startChunks(build, folder);
const { output } = await build.write({
  dir: join(folder, 'dist'),
  format: 'esm',
  // The declarations have the docstrings. Without a compile cache an import costs what its source has in length.
  comments: { jsdoc: false, annotation: true, legal: true },
  // A program is not stepped through by those who install it, and its maps would be most of it.
  sourcemap: manifest.bin === undefined,
  entryFileNames: '[name].js',
  chunkFileNames: 'chunks/[name]-[hash].js',
  ...(groups.length === 0 ? {} : { codeSplitting: { groups: [...groups] } }),
});
await build.close();
for (const { fileName } of output) if (fileName.endsWith('.map')) leaveOutOwnSources(join(folder, 'dist', fileName));
const modules = output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []));
const licenses = licensesOf(modules);
if (licenses !== '') writeFileSync(join(folder, 'dist/THIRD-PARTY-LICENSES.txt'), licenses);

/** Leaves the text of this package's sources out of a map: it leads to `src`, which the tarball has, and would be two thirds of it. */
function leaveOutOwnSources(file: string): void {
  const map = JSON.parse(readFileSync(file, 'utf8')) as {
    readonly sources: readonly string[];
    readonly sourcesContent?: readonly (string | null)[];
  };
  const isOwn = (source: string): boolean => resolve(dirname(file), source).startsWith(join(folder, 'src') + sep);
  const sourcesContent = map.sources.map((source, index) => (isOwn(source) ? null : map.sourcesContent?.[index]));
  writeFileSync(file, JSON.stringify({ ...map, sourcesContent }));
}
