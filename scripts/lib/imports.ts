import { dirname, join } from 'node:path/posix';

/** One import or re-export of a module. */
export interface Import {
  /** As written, such as `./a.ts` or `@kernel/protocol`. */
  readonly specifier: string;
  /** Whether the whole statement is `import type` or `export type`. */
  readonly isType: boolean;
  /** The line of the statement, from 1. */
  readonly line: number;
}

const IMPORT =
  /^\s*(?:import|export)\s+(type\s+)?(?:[^'"]*?\sfrom\s+)?['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]\s*\)/gms;

/** The imports of a module's text, static and dynamic, in order. */
export function importsOf(module: string): readonly Import[] {
  // An example in a doc comment may import what the module may not.
  const text = module.replaceAll(/^\s*\/\*\*[\s\S]*?\*\//gm, (comment) => comment.replaceAll(/[^\n]/g, ' '));
  return [...text.matchAll(IMPORT)].map((match) => ({
    specifier: match[2] ?? match[3] ?? '',
    isType: match[1] !== undefined,
    line: text.slice(0, match.index).split('\n').length,
  }));
}

/** The file that a relative import of `file` leads to, with the separators of `file`; `undefined` for a package. */
export function targetOf(file: string, specifier: string): string | undefined {
  return specifier.startsWith('.') ? join(dirname(file), specifier) : undefined;
}
