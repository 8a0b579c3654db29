import { join } from 'node:path';
import type { OutputChunk, RolldownBuild } from 'rolldown';

/** A chunk that is made of modules chosen by hand. */
export interface ChunkGroup {
  /** The beginning of its file name. */
  readonly name: string;
  /** Whether a module belongs to it. */
  readonly test: (id: string) => boolean;
  /** Which group wins where several want a module: the higher one. */
  readonly priority: number;
}

/**
 * What is loaded together, by the module that leads to it: what a program loads before its compile cache is on, at every start, to answer, and to keep
 * the answer; of the toolbox, what the tools that only read load. Each becomes one file, without what one before it has.
 */
const TOGETHER = [
  ['entry', 'src/cli.ts'],
  ['start', 'src/run-process.ts'],
  ['answer', 'src/commands/ask.ts'],
  ['session', 'src/sessions/keep-session.ts'],
  ['workspace', 'src/workspace/index.ts'],
  ['files', 'src/files/index.ts'],
] as const;

/**
 * Groups what is loaded together: a module that several entry points or parts of a program share would be a file of its own, and a hundred small files
 * take 30 ms longer to load than three. What is imported lazily stays apart.
 *
 * What the main entry point of a package loads becomes one file, and what smaller entry points load of it another, so that they stay small.
 */
export async function startChunks(build: RolldownBuild, folder: string): Promise<readonly ChunkGroup[]> {
  const { output } = await build.generate({ format: 'esm' });
  const chunks = output.filter((chunk) => chunk.type === 'chunk');
  const loadedWith = (path: string): readonly OutputChunk[] =>
    chunks
      .filter(({ facadeModuleId }) => facadeModuleId === join(folder, path))
      .flatMap((root) => loadedBy(root, chunks));
  const main = loadedWith('src/index.ts');
  const isSmall = (loaded: readonly OutputChunk[]): boolean => lengthOf(loaded) < lengthOf(main) / 2;
  const small = chunks
    .filter(({ isEntry }) => isEntry)
    .map((entry) => loadedBy(entry, chunks))
    .filter(isSmall);
  const parts: readonly (readonly [name: string, chunks: readonly OutputChunk[]])[] = [
    ...TOGETHER.map(([name, path]) => [name, loadedWith(path)] as const).filter(
      ([, loaded]) => main.length === 0 || isSmall(loaded),
    ),
    ['shared', main.filter((chunk) => small.some((loaded) => loaded.includes(chunk)))],
    ['main', main.length > 1 ? main : []],
  ];
  // The entry waits for what loads the rest, which must not wait for the entry.
  const entry = join(folder, 'src/cli.ts');
  return parts
    .filter(([, each]) => each.length > 0)
    .map(([name, each], index) => {
      const modules = new Set(each.flatMap(({ moduleIds }) => moduleIds));
      return { name, test: (id) => modules.has(id) && id !== entry, priority: parts.length - index };
    });
}

/** A chunk and all that is loaded with it. */
function loadedBy(root: OutputChunk, chunks: readonly OutputChunk[]): readonly OutputChunk[] {
  const loaded = new Set([root]);
  for (const { imports } of loaded) for (const chunk of chunks) if (imports.includes(chunk.fileName)) loaded.add(chunk);
  return [...loaded];
}

function lengthOf(chunks: readonly OutputChunk[]): number {
  return chunks.reduce((sum, { code }) => sum + code.length, 0);
}
