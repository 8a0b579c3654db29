import type { Tool } from '@kernel/protocol';
import { bindTool, type ToolBinding } from '@kernel/tools';
import { isBinary } from '../workspace/is-binary.ts';
import { walkFiles } from '../workspace/walk-files.ts';
import type { Workspace } from '../workspace/workspace.ts';

const MAX_MATCHES = 200;
const MAX_FILE_BYTES = 1_048_576;
const MAX_LINE = 200;

const tool: Tool = {
  name: 'search_text',
  title: 'Search text',
  description: 'Searches the files of the workspace for a piece of text and returns each line that contains it.',
  parameters: {
    type: 'object',
    properties: {
      query: {
        type: 'string',
        minLength: 1,
        maxLength: 500,
        description: 'The text to search for, literally. All lower case: any case matches.',
      },
      path: {
        type: 'string',
        description: 'File or folder to search in, relative to the workspace. Absent: everywhere.',
      },
    },
    required: ['query'],
    additionalProperties: false,
  },
  effect: 'read',
  metadata: {
    category: 'code',
    usageHint:
      'To find (grep) where a name or words are mentioned, used, defined, called or imported, or which files mention them.',
    examples: [
      {
        description: 'Where is createRegistry mentioned in packages?',
        input: { query: 'createRegistry', path: 'packages' },
      },
      { description: 'Which files mention undici?', input: { query: 'undici' } },
    ],
  },
};

/** Binds `search_text`: `path:line: text` for each hit, at most 200; ignored, binary and large files are skipped. */
export function searchTextTool(workspace: Workspace): ToolBinding {
  return bindTool<{ query: string; path?: string }>(tool, async ({ query, path = '.' }, { signal }) => {
    const hits: string[] = [];
    const fits = matcherOf(query);
    let files = 0;
    for await (const file of walkFiles(workspace, path, signal)) {
      signal.throwIfAborted();
      files += 1;
      for (const line of await linesWith(workspace, file, fits)) {
        if (hits.length === MAX_MATCHES)
          return `${hits.join('\n')}\n… (more than ${MAX_MATCHES} lines; search in a smaller folder)`;
        hits.push(line);
      }
    }
    return hits.length === 0
      ? `No line contains "${query}" in ${files} files${path === '.' ? '' : ` of "${path}"`}.`
      : hits.join('\n');
  });
}

function matcherOf(query: string): (line: string) => boolean {
  const isAnyCase = query === query.toLowerCase();
  return isAnyCase ? (line) => line.toLowerCase().includes(query) : (line) => line.includes(query);
}

async function linesWith(
  workspace: Workspace,
  path: string,
  fits: (line: string) => boolean,
): Promise<readonly string[]> {
  // A file that disappeared or cannot be read does not end a search.
  const opened = await workspace.openFile(path).catch(() => undefined);
  if (opened === undefined) return [];
  try {
    if (opened.stats.size > MAX_FILE_BYTES) return [];
    const bytes = await opened.file.readFile();
    if (isBinary(bytes)) return [];
    const text = new TextDecoder().decode(bytes);
    if (!fits(text)) return [];
    return text
      .split('\n')
      .flatMap((line, index) => (fits(line) ? [`${path}:${index + 1}: ${shorten(line.trim())}`] : []));
  } finally {
    await opened.file.close();
  }
}

function shorten(line: string): string {
  return line.length > MAX_LINE ? `${line.slice(0, MAX_LINE)}…` : line;
}
