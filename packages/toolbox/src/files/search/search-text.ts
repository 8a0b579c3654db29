import { isAbsolute } from 'node:path';
import { findProgram } from '@kernel/internal';
import { invalidOption, type Tool, type ToolImplementation } from '@kernel/protocol';
import { escapeUnseen, quote } from '../../workspace/errors.ts';
import { createEventLoopYield } from '../../workspace/event-loop.ts';
import type { PathTest, Workspace } from '../../workspace/index.ts';
import { globTest } from '../glob.ts';
import { isBinary } from '../is-binary.ts';
import { createVisibility, isHiddenBelow, walkFiles } from '../walk-files.ts';
import { createMatcher, type Matcher, type Query } from './matcher.ts';
import { ripgrepFiles } from './ripgrep.ts';

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
      glob: { type: 'string', description: 'Only files whose path below that fits, such as "*.ts".' },
      regex: { type: 'boolean', description: 'Whether query is a regular expression (JavaScript, for one line).' },
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

interface Input {
  readonly query: string;
  readonly path?: string;
  readonly glob?: string;
  readonly regex?: boolean;
}

/** Options of `searchTextTool`. */
export interface SearchTextOptions {
  /**
   * The absolute path of ripgrep, which makes searches on disk faster without changing their results; false to use none. Default: that of the system or on
   * `PATH`, unless it lies in the workspace or a repository around it.
   */
  readonly ripgrep?: string | false | undefined;
}

/**
 * Creates the tool `search_text`: `path:line: text` for each match, at most 200, sorted by path and line; ignored, binary and large files (1 MiB) are
 * skipped. A regular expression may take a second per file, and is never passed to ripgrep.
 */
export function searchTextTool(workspace: Workspace, { ripgrep }: SearchTextOptions = {}): ToolImplementation {
  if (typeof ripgrep === 'string' && !isAbsolute(ripgrep))
    throw invalidOption('searchTextTool', 'ripgrep', 'an absolute path', ripgrep);
  return {
    tool,
    handler: async ({ glob, path = '.', query, regex = false }: Input, { signal }): Promise<string> => {
      const start = await workspace.stat(path === '' ? '.' : path, { signal });
      const wanted = { query, regex };
      const matcher = createMatcher(wanted, MAX_MATCHES + 1);
      const folder = start.type === 'directory' ? start.path : '.';
      const fits =
        glob === undefined || glob === ''
          ? undefined
          : below(await globTest(workspace, folder, glob, signal), start.path);
      const program = ripgrep === false ? undefined : (ripgrep ?? findProgram('rg', { workspace: workspace.folder }));
      const hits: string[] = [];
      const letEventsRun = createEventLoopYield();
      for await (const file of candidates(workspace, wanted, { program, start: start.path, signal })) {
        await letEventsRun();
        signal.throwIfAborted();
        if (fits !== undefined && !fits(file)) continue;
        for (const line of await linesOf(workspace, file, matcher, signal)) {
          if (hits.length === MAX_MATCHES)
            return `${hits.join('\n')}\n… (more than ${MAX_MATCHES} lines; search in a smaller folder)`;
          hits.push(line);
        }
      }
      const where = start.path === '.' ? 'the workspace' : quote(start.path);
      const verb = regex ? 'matches' : 'contains';
      return hits.length === 0 ? `No line ${verb} ${quote(query)} in the files of ${where}.` : hits.join('\n');
    },
  };
}

function below(test: PathTest, folder: string): PathTest {
  return (path) => test(folder === '.' || path === folder ? path : path.slice(folder.length + 1));
}

/** The files that may have a hit, each folder's entries by name. */
async function* candidates(
  workspace: Workspace,
  query: Query,
  {
    program,
    signal,
    start,
  }: { readonly program: string | undefined; readonly start: string; readonly signal: AbortSignal },
): AsyncGenerator<string> {
  const { folder } = workspace;
  const found =
    program === undefined || folder === undefined || query.regex || query.query.includes('\0')
      ? undefined
      : await ripgrepFiles({ ...query, program, folder, path: start, maxFileBytes: MAX_FILE_BYTES, signal });
  if (found === undefined) {
    yield* walkFiles(workspace, start, signal);
    return;
  }
  const visibility = createVisibility(workspace);
  for (const path of found.toSorted(byNames))
    if (path === start || !(await isHiddenBelow(visibility, start, path))) yield path;
}

/** The order of a walk: by names, not by the text of paths, in which `a.txt` stands before `a/b`. */
function byNames(a: string, b: string): number {
  const left = a.split('/');
  const right = b.split('/');
  const at = left.findIndex((name, index) => name !== right[index]);
  if (at === -1) return left.length - right.length;
  return (left[at] ?? '') < (right[at] ?? '') ? -1 : 1;
}

async function linesOf(
  workspace: Workspace,
  path: string,
  matcher: Matcher,
  signal: AbortSignal,
): Promise<readonly string[]> {
  // A file that disappeared or cannot be read does not end a search.
  const content = await workspace.read(path, { maxBytes: MAX_FILE_BYTES, signal }).catch(() => undefined);
  signal.throwIfAborted();
  if (content === undefined || isBinary(content.bytes)) return [];
  return matcher(new TextDecoder().decode(content.bytes), path).map(
    ({ line, text }) => `${escapeUnseen(path)}:${line}: ${shorten(text.trim())}`,
  );
}

function shorten(line: string): string {
  return line.length > MAX_LINE ? `${line.slice(0, MAX_LINE)}…` : line;
}
