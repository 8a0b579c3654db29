import type { ToolPhrase } from '@kernel/offline';
import type { TextOperation } from '../tools/text-operations.ts';

/** How people ask for each operation, of `SOURCE`: a file, or the text that came with the request. */
const REQUESTS: readonly (readonly [
  operation: TextOperation,
  count: number | string | undefined,
  texts: readonly string[],
])[] = [
  [
    'count-lines',
    undefined,
    [
      'how many lines (are|) (there|) (in|) SOURCE',
      'how many lines does SOURCE have',
      'count (all|) (lines|) (of|in|) SOURCE',
      'number of lines (in|of|) SOURCE',
      'line count (of|in|) SOURCE',
      'wc -l SOURCE',
    ],
  ],
  [
    'count-words',
    undefined,
    [
      'how many words (are|) (there|) (in|) SOURCE',
      'how many words does SOURCE have',
      'count (all|) words (of|in|) SOURCE',
      'number of words (in|of|) SOURCE',
      'word count (of|in|) SOURCE',
      'wc -w SOURCE',
    ],
  ],
  [
    'count-characters',
    undefined,
    [
      'how many (characters|chars) (are|) (there|) (in|) SOURCE',
      'how many (characters|chars) does SOURCE have',
      'count (all|) (characters|chars) (of|in|) SOURCE',
      'number of (characters|chars) (in|of|) SOURCE',
    ],
  ],
  ['first', 1, ['(read|) first line (of|in|from|) SOURCE']],
  [
    'first',
    '{count}',
    [
      '(read|) first {count:number} lines (of|in|from|) SOURCE',
      'top {count:number} lines (of|in|from|) SOURCE',
      'head -n {count:number} SOURCE',
    ],
  ],
  ['last', 1, ['(read|) last line (of|in|from|) SOURCE']],
  [
    'last',
    '{count}',
    [
      '(read|) last {count:number} lines (of|in|from|) SOURCE',
      'bottom {count:number} lines (of|in|from|) SOURCE',
      'tail -n {count:number} SOURCE',
    ],
  ],
  ['line', '{count}', ['(read|) line (number|) {count:number} (of|in|from|) SOURCE']],
  ['line', 2, ['(read|) second line (of|in|from|) SOURCE']],
  ['line', 3, ['(read|) third line (of|in|from|) SOURCE']],
  [
    'sort',
    undefined,
    ['sort SOURCE', 'sort (all|) lines (of|in|from|) SOURCE', 'sort SOURCE (by|) (line|lines|alphabetically)'],
  ],
  [
    'unique',
    undefined,
    [
      '(all|) (unique|distinct) lines (of|in|from|) SOURCE',
      '(list|find) (all|) (unique|distinct) lines (of|in|from|) SOURCE',
    ],
  ],
  [
    'sum',
    undefined,
    [
      'sum (of|) (all|) numbers (of|in|from|) SOURCE',
      '(add|sum) (up|) (all|) numbers (of|in|from|) SOURCE',
      'total of (all|) numbers (of|in|from|) SOURCE',
      '(sum|total) (up|of|) SOURCE',
      'add up SOURCE',
    ],
  ],
  ['average', undefined, ['(average|mean) (of|) (all|) numbers (of|in|from|) SOURCE', '(average|mean) (of|) SOURCE']],
  ['smallest', undefined, ['(smallest|lowest|minimum) (number|value) (of|in|from|) SOURCE']],
  ['largest', undefined, ['(largest|biggest|highest|greatest|maximum) (number|value) (of|in|from|) SOURCE']],
];

/** How people speak of a text that came with the request, if they do. */
const MATERIAL = '(this|it|that|them|these|those|here|stdin|input|) (text|file|input|list|lines|numbers|words|)';

const [FIRST = { text: '', input: {} }, ...OTHERS] = REQUESTS.flatMap(([operation, count, texts]) => {
  const input = { operation, ...(count === undefined ? {} : { count }) };
  return texts.flatMap((text) => [
    { text: text.replace('SOURCE', '(file|) {path:path}'), input: { ...input, path: '{path}' } },
    { text: text.replace('SOURCE', MATERIAL), input: { ...input, text: '{material}' } },
  ]);
});

/** How people ask for lines of a text and for what is in them. */
export const TEXT_PHRASES: readonly ToolPhrase[] = [{ ...FIRST, example: 'how many lines are in notes.md' }, ...OTHERS];
