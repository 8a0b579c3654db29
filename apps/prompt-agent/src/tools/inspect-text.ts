import type { Tool, ToolImplementation } from '@kernel/protocol';
import type { Workspace } from '@kernel/toolbox';
import { decodeText } from '../files/read-file.ts';
import { toolError } from '../tool-error.ts';
import { linesOf, TEXT_OPERATIONS, type TextOperation } from './text-operations.ts';

const MAX_BYTES = 8 * 1024 * 1024;
const MAX_RESULT = 262_144;

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

const phrases = REQUESTS.flatMap(([operation, count, texts]) => {
  const input = { operation, ...(count === undefined ? {} : { count }) };
  return texts.flatMap((text) => [
    { text: text.replace('SOURCE', '(file|) {path:path}'), input: { ...input, path: '{path}' } },
    { text: text.replace('SOURCE', MATERIAL), input: { ...input, text: '{material}' } },
  ]);
});

const [FIRST = { text: '', input: {} }, ...OTHERS] = phrases;

const tool: Tool = {
  name: 'inspect_text',
  title: 'Count and pick lines',
  description: 'Counts, picks or sorts the lines of a text or a file, or adds up its numbers, exactly.',
  parameters: {
    type: 'object',
    properties: {
      path: { type: 'string', minLength: 1, description: 'File, relative to the workspace.' },
      text: { type: 'string', description: 'The text itself, in place of path.' },
      operation: {
        type: 'string',
        enum: [...TEXT_OPERATIONS],
        description: 'unique: each line once, where it is first.',
      },
      count: { type: 'integer', minimum: 1, description: 'How many lines first and last take; which one line takes.' },
    },
    required: ['operation'],
    additionalProperties: false,
  },
  effect: 'read',
  metadata: {
    category: 'utility',
    usageHint: 'To count lines or words without reading them.',
    phrases: [{ ...FIRST, example: 'how many lines are in notes.md' }, ...OTHERS],
  },
};

interface Input {
  readonly path?: string;
  readonly text?: string;
  readonly operation: TextOperation;
  readonly count?: number;
}

/** Makes `inspect_text`: files up to 8 MiB; results up to 256 KiB. */
export function inspectTextTool(workspace: Workspace): ToolImplementation {
  return {
    tool,
    handler: async ({ count, operation, path, text }: Input, { signal }): Promise<string> => {
      if ((path === undefined) === (text === undefined)) throw toolError('Give path or text, one of them.');
      const content = text ?? (await readText(workspace, path ?? '', signal));
      const result = linesOf(content, operation, count);
      if (result.length <= MAX_RESULT) return result;
      throw toolError(`The result has ${result.length} characters, more than the ${MAX_RESULT} that can be shown.`);
    },
  };
}

async function readText(workspace: Workspace, path: string, signal: AbortSignal): Promise<string> {
  const { bytes } = await workspace.read(path, { maxBytes: MAX_BYTES, signal });
  const text = decodeText(bytes);
  if (text === undefined) throw toolError(`${JSON.stringify(path)} is not a text file.`);
  return text;
}
