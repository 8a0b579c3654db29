import { objectSchema } from '../../object-schema.ts';
import { isAbsolute } from 'node:path';
import { findProgram } from '@kernel/internal';
import { invalidOption, type Tool, type ToolWithHandler } from '@kernel/protocol';
import { quote, toolError } from '../../workspace/errors.ts';
import { detectFormat, mediaTypeOf } from '../../text/encoding.ts';
import { readingDisk } from '../../workspace/editor/read-scopes.ts';
import { createEventLoopYield } from '../../workspace/event-loop.ts';
import type { PathTest, Workspace } from '../../workspace/index.ts';
import { readGlob } from '../glob.ts';
import { isHiddenBelow, visibilityBelow, walkFiles } from '../walk-files.ts';
import { createMatcher, type Query } from './matcher.ts';
import { READ_BYTES, searchFile } from './search-file.ts';
import { createSkipped, type Skipped } from './skipped.ts';

const MAX_MATCHES = 200;
/** This much of a file decides whether it is text. */
const MAX_SAMPLE = 8000;
const LEFT_OUT = 'links, node_modules, and what .gitignore or a rule leaves out';

const tool: Tool = {
  name: 'search_text',
  title: 'Search text',
  description: 'Searches the files of the workspace for a piece of text and returns each line that contains it.',
  parameters: objectSchema(['query'], {
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
  }),
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
 * Creates the tool `search_text`: `path:line: text` for each match, at most 200, sorted by path and line. Text is searched whatever its size, in UTF-8, UTF-16 or
 * Windows-1252; an answer without a match says what was not searched: binary files, those that cannot be read, and
 * ignored ones. A regular expression takes time in proportion to the text, whatever it is, and is never passed to
 * ripgrep.
 */
export function searchTextTool(workspace: Workspace, { ripgrep }: SearchTextOptions = {}): ToolWithHandler {
  if (typeof ripgrep === 'string' && !isAbsolute(ripgrep))
    throw invalidOption('searchTextTool', 'ripgrep', 'an absolute path', ripgrep);
  return readingDisk({
    tool,
    handler: async ({ glob, path = '.', query: given, regex = false }: Input, { signal }): Promise<string> => {
      const query = regex ? given : withoutLineEnd(given);
      const start = await workspace.stat(path === '' ? '.' : path, { signal });
      const isFolder = start.type === 'directory';
      const wanted = { query, regex };
      const matcher = createMatcher(wanted, MAX_MATCHES + 1);
      const hasGlob = glob !== undefined && glob !== '';
      const read = hasGlob ? await readGlob(workspace, isFolder ? start.path : '.', glob, signal) : undefined;
      const fits = read && below(read.fits, start.path);
      const named = isFolder ? read?.folder : undefined;
      const program =
        ripgrep === false || !isFolder ? undefined : (ripgrep ?? findProgram('rg', { workspace: workspace.folder }));
      const hits: string[] = [];
      let hasSearched = false;
      const skipped = createSkipped();
      const letEventsRun = createEventLoopYield();
      const files: Candidates = { program, start: named ?? start.path, skipped, signal };
      for await (const file of candidates(workspace, wanted, files)) {
        await letEventsRun();
        signal.throwIfAborted();
        if (fits !== undefined && !fits(file)) continue;
        hasSearched = true;
        const content = await workspace.read(file, { length: READ_BYTES, signal }).catch((error: unknown) => {
          // A file that disappeared or cannot be read does not end a search of its folder.
          if (signal.aborted || !isFolder) throw error;
          skipped.addUnreadable(error);
        });
        if (content === undefined) continue;
        const format = mediaTypeOf(content.bytes) === undefined ? detectFormat(content.bytes) : undefined;
        if (format === undefined) {
          if (!isFolder) throw toolError(`${quote(file)} is a binary file (${content.size} bytes), not text.`);
          skipped.addBinary(file);
          continue;
        }
        for await (const hit of searchFile(workspace, { path: file, content, format }, matcher, files)) {
          if (hits.length === MAX_MATCHES)
            return `${hits.join('\n')}\n… (more than ${MAX_MATCHES} lines; search in a smaller folder)`;
          hits.push(hit);
        }
      }
      if (hits.length > 0)
        return [...hits, ...skipped.reasons({}).map((reason) => `(Not searched: ${reason}.)`)].join('\n');
      const where = start.path === '.' ? 'the workspace' : quote(start.path);
      if (
        fits !== undefined &&
        !hasSearched &&
        !(files.hasUsedRipgrep === true && (await hasFile(workspace, files, fits)))
      )
        return `No file of ${where} fits the glob ${quote(glob ?? '')}, so nothing was searched. Left out: ${LEFT_OUT}.`;
      const none = `No line ${regex ? 'matches' : 'contains'} ${quote(query)} in ${isFolder ? `the files of ${where}` : where}.${hintFor(query, regex)}`;
      if (!isFolder) return none;
      if (files.hasUsedRipgrep === true)
        for await (const file of candidates(workspace, { query: '', regex: false }, files))
          if ((fits === undefined || fits(file)) && (await isBinary(workspace, file, signal))) skipped.addBinary(file);
      return `${none} Not searched: ${[...skipped.reasons({ binary: true }), LEFT_OUT].join(', ')}.`;
    },
  });
}

/** A text to look for without a line break at its end. Throws an error for the model for one within it. */
function withoutLineEnd(query: string): string {
  const line = query.replace(/[\r\n]{1,2}$/, '');
  if (/[\r\n]/.test(line))
    throw toolError('Each line is searched by itself, and the query has a line break: search for one of its lines.');
  return line === '' ? query : line;
}

/** What is written so in patterns, and seldom in texts. */
const LIKE_PATTERN = /\.[*+]|\\[bdswBDSW.()[\]{}|?+*]|[^|]\|[^|]|^\^|\$$/;

function hintFor(query: string, regex: boolean): string {
  if (regex) return query.includes(String.raw`\n`) ? ' Each line is searched by itself, without its line break.' : '';
  return LIKE_PATTERN.test(query) ? ' It was searched for literally; with regex: true it is a regular expression.' : '';
}

async function hasFile(workspace: Workspace, { signal, start }: Candidates, fits: PathTest): Promise<boolean> {
  for await (const file of walkFiles(workspace, start, signal)) if (fits(file)) return true;
  return false;
}

function below(test: PathTest, folder: string): PathTest {
  return (path) => test(folder === '.' || path === folder ? path : path.slice(folder.length + 1));
}

interface Candidates {
  readonly program: string | undefined;
  readonly start: string;
  readonly skipped: Skipped;
  readonly signal: AbortSignal;
  /** Set if ripgrep has answered, so that files without a hit were not read. */
  hasUsedRipgrep?: boolean;
}

/** The files that may have a hit, each folder's entries by name; of an empty text, the files with a NUL. */
async function* candidates(workspace: Workspace, query: Query, files: Candidates): AsyncGenerator<string> {
  const { program, signal, skipped, start } = files;
  const { folder } = workspace;
  const { isNamedAnyway, visibility } = await visibilityBelow(workspace, start);
  const found =
    program === undefined || folder === undefined || isNamedAnyway || query.regex || query.query.includes('\0')
      ? undefined
      : await (await import('./ripgrep.ts')).ripgrepFiles({ ...query, program, folder, path: start, signal });
  if (found === undefined) {
    yield* walkFiles(workspace, start, signal, skipped);
    return;
  }
  files.hasUsedRipgrep = true;
  for (const path of found.toSorted(byNames))
    if (path === start || !(await isHiddenBelow(visibility, start, path))) yield path;
}

async function isBinary(workspace: Workspace, path: string, signal: AbortSignal): Promise<boolean> {
  const content = await workspace.read(path, { length: MAX_SAMPLE, signal }).catch(() => undefined);
  signal.throwIfAborted();
  return content !== undefined && (mediaTypeOf(content.bytes) !== undefined || !detectFormat(content.bytes));
}

/** The order of a walk: by names, not by the text of paths, in which `a.txt` stands before `a/b`. */
function byNames(a: string, b: string): number {
  const left = a.split('/');
  const right = b.split('/');
  const at = left.findIndex((name, index) => name !== right[index]);
  if (at === -1) return left.length - right.length;
  return (left[at] ?? '') < (right[at] ?? '') ? -1 : 1;
}
