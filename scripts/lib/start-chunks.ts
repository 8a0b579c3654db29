import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { RolldownBuild } from 'rolldown';

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
 * Groups what a program loads together at its start: a module that several parts of a program share would be a file of its own, and a hundred small files
 * take 30 ms longer to load than three. What is imported lazily stays apart.
 */
export async function startChunks(build: RolldownBuild, folder: string): Promise<readonly ChunkGroup[]> {
  const roots = TOGETHER.map(([name, path]) => ({ name, path: join(folder, path) }));
  const { output } = await build.generate({ format: 'esm' });
  const chunks = new Map(output.flatMap((chunk) => (chunk.type === 'chunk' ? [[chunk.fileName, chunk] as const] : [])));
  const taken = new Set(roots.map(({ path }) => path));
  return roots
    .filter(({ path }) => existsSync(path))
    .map(({ name, path }, index) => {
      const modules = new Set<string>();
      const visited = new Set<string>();
      const visit = (fileName: string): void => {
        const chunk = chunks.get(fileName);
        if (chunk === undefined || visited.has(fileName)) return;
        visited.add(fileName);
        for (const id of chunk.moduleIds) if (!taken.has(id)) modules.add(id);
        for (const each of chunk.imports) visit(each);
      };
      for (const chunk of chunks.values()) if (chunk.facadeModuleId === path) visit(chunk.fileName);
      for (const id of modules) taken.add(id);
      return { name, test: (id: string) => modules.has(id), priority: roots.length - index };
    });
}
