import { globSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';

const EXAMPLE = /^ \* @example\n \* ```ts\n((?: \*.*\n)*?) \* ```$/gm;

/** A program in a docstring. */
export interface DocstringExample {
  /** The file with the docstring, relative to the root. */
  readonly file: string;
  /** The line where the program begins. */
  readonly line: number;
  /** The program. */
  readonly text: string;
}

/** Returns every `@example` in the sources of the packages. */
export function docstringExamples(root: string): readonly DocstringExample[] {
  return globSync('packages/*/src/**/*.ts', { cwd: root })
    .toSorted()
    .flatMap((file) => {
      const source = readFileSync(join(root, file), 'utf8');
      return [...source.matchAll(EXAMPLE)].map((match) => ({
        file: file.split(sep).join('/'),
        line: source.slice(0, match.index).split('\n').length + 2,
        text: (match[1] ?? '').replaceAll(/^ \* ?/gm, ''),
      }));
    });
}
