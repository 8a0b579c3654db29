import type { ToolPhrase } from '@kernel/offline';
import type { JsonObject } from '@kernel/protocol';
import { phrases } from './phrases-of.ts';

/** Kinds of files by the words that people use, without those that could mean several. */
const KINDS: readonly (readonly [words: string, pattern: string])[] = [
  ['(markdown|md)', '*.{md,markdown}'],
  ['(typescript|ts)', '*.{ts,tsx,mts,cts}'],
  ['(javascript|js)', '*.{js,jsx,mjs,cjs}'],
  ['(python|py)', '*.py'],
  ['json', '*.json'],
  ['(yaml|yml)', '*.{yaml,yml}'],
  ['(html|htm)', '*.{html,htm}'],
  ['css', '*.css'],
  ['csv', '*.csv'],
  ['(txt|text)', '*.txt'],
  ['(rust|rs)', '*.rs'],
  ['(go|golang)', '*.go'],
  ['pdf', '*.pdf'],
];

/** How people ask how many files there are. */
const countPhrases = (input: JsonObject, kind: string): readonly ToolPhrase[] => [
  ...phrases({ ...input, count: true }, [
    `(how|) (many|number|count) (of|) ${kind} files (are|do) (there|here|we|you|i) (have|)`,
    `(how|) (many|number|count) (of|) ${kind} files`,
  ]),
  ...phrases({ ...input, count: true, path: '{path}' }, [
    `(how|) (many|number|count) (of|) ${kind} files (are|) (there|) (in|below|under) {path:path}`,
    `(how|) (many|number|count) (of|) ${kind} files (are|) (there|) (in|below|under) (folder|directory|) {path:word} (folder|directory|)`,
  ]),
];

const ofKind = (kind: string, pattern: string): readonly ToolPhrase[] => [
  ...phrases({ pattern }, [
    `(find|list|which|what|get|) (any|all|) ${kind} files`,
    `(find|list) (all|) ${kind} files (in|of) (this|) (workspace|project|folder|repo|repository)`,
    `(which|what) ${kind} files (are|exist) (there|here|)`,
    `(are|is) there any ${kind} (file|files)`,
    `where are (all|) ${kind} files`,
  ]),
  ...countPhrases({ pattern }, kind),
  ...phrases({ pattern, path: '{path}' }, [
    `(find|list|which|what|get|) (any|all|) ${kind} files (are|) (in|below|under) {path:path}`,
    `(find|list|which|what|get|) (any|all|) ${kind} files (are|) (in|below|under) (folder|directory|) {path:word} (folder|directory|)`,
  ]),
];

const CHANGES: readonly (readonly [words: string, changed: string])[] = [
  ['today', 'today'],
  ['yesterday', 'yesterday'],
  ['(in|within|during) (last|past) {changed:duration}', '{changed}'],
  ['(in|within|during) (last|past) hour', '1 hour'],
  ['(in|within|during) (last|past) minute', '1 minute'],
];

/** Requests for files by name, kind or last change. */
export const GLOB_PHRASES: readonly ToolPhrase[] = [
  ...KINDS.flatMap(([words, pattern]) => ofKind(words, pattern)),
  ...CHANGES.flatMap(([words, changed]) => {
    const files = [
      `(which|what) files (were|have|) (been|) (changed|modified) ${words}`,
      `(find|list|) (all|) files (that|which|) (were|have|) (been|) (changed|modified) ${words}`,
    ];
    return [
      ...phrases({ pattern: '**/*', changed }, [...files, `what (has|was|) (been|) (changed|modified) ${words}`]),
      ...phrases(
        { pattern: '**/*', changed, path: '{path}' },
        files.map((text) => `${text} (in|below|under) (folder|directory|) {path:word} (folder|directory|)`),
      ),
    ];
  }),
  ...phrases({ pattern: '**/*', path: '{path}' }, [
    '(find|list|) everything (below|under) {path:path}',
    '(find|list|) everything (below|under) (folder|directory|) {path:word} (folder|directory|)',
  ]),
  {
    text: '(find|list) (all|) files matching {pattern:glob}',
    example: 'find all files matching *.md',
    input: { pattern: '{pattern}' },
  },
  ...countPhrases({ pattern: '{pattern}' }, '{pattern:extension}'),
  ...['{pattern:glob} (files|)', '{pattern:extension} files'].flatMap((files) => [
    ...phrases({ pattern: '{pattern}' }, [
      `(find|list|which|what|get) (all|) ${files}`,
      `(which|what) ${files} (are|exist) (there|here|)`,
      `where are (all|) ${files}`,
    ]),
    ...phrases({ pattern: '{pattern}', path: '{path}' }, [
      `(find|list|which|what|get) (all|) ${files} (are|) (in|below|under) {path:path}`,
      `(find|list|which|what|get) (all|) ${files} (are|) (in|below|under) (folder|directory|) {path:word} (folder|directory|)`,
    ]),
  ]),
];
