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

/** What a program loads at every start, and what it loads to answer, by the module that leads to it. Each becomes one file. */
const TOGETHER = [
  ['start', 'src/cli.ts'],
  ['answer', 'src/commands/ask.ts'],
  ['session', 'src/sessions/keep-session.ts'],
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
  const small = chunks
    .filter(({ isEntry }) => isEntry)
    .map((entry) => loadedBy(entry, chunks))
    .filter((loaded) => lengthOf(loaded) < lengthOf(main) / 2);
  const parts: readonly (readonly [name: string, chunks: readonly OutputChunk[]])[] = [
    ...TOGETHER.map(([name, path]) => [name, loadedWith(path)] as const),
    ['shared', main.filter((chunk) => small.some((loaded) => loaded.includes(chunk)))],
    ['main', main.length > 1 ? main : []],
  ];
  const roots = new Set(TOGETHER.map(([, path]) => join(folder, path)));
  return parts
    .filter(([, each]) => each.length > 0)
    .map(([name, each], index) => {
      const modules = new Set(each.flatMap(({ moduleIds }) => moduleIds));
      return { name, test: (id) => modules.has(id) && !roots.has(id), priority: parts.length - index };
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
