import { readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { importsOf, targetOf } from '../lib/imports.ts';
import type { Problem, Rule } from '../lib/problem.ts';
import { sourceFiles } from '../lib/projects.ts';

/**
 * Import cycles: no source file leads back to itself through relative imports. Imports of types count: a cycle of types means that no
 * file of it can be read first.
 */
export const importCycles: Rule = (root) => {
  const graph = new Map<string, readonly string[]>();
  for (const file of sourceFiles(root)) {
    const name = file.split(sep).join('/');
    const text = readFileSync(join(root, file), 'utf8');
    graph.set(
      name,
      importsOf(text).flatMap(({ specifier }) => targetOf(name, specifier) ?? []),
    );
  }
  return [...graph.keys()].flatMap((file): readonly Problem[] => {
    const cycle = shortestCycle(file, graph);
    // Each cycle is reported once, at its first file by name.
    if (cycle === undefined || cycle.some((other) => other < file)) return [];
    return [{ rule: 'import-cycles', file, message: `is part of an import cycle: ${[...cycle, file].join(' → ')}.` }];
  });
};

function shortestCycle(start: string, graph: ReadonlyMap<string, readonly string[]>): readonly string[] | undefined {
  const queue: (readonly string[])[] = [[start]];
  const visited = new Set<string>();
  for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
    for (const next of graph.get(path.at(-1) ?? '') ?? []) {
      if (next === start) return path;
      if (visited.has(next)) continue;
      visited.add(next);
      queue.push([...path, next]);
    }
  }
  return undefined;
}
