import { objectSchema } from '../object-schema.ts';
import { visibleLine } from '@kernel/internal';
import { posix } from 'node:path';
import type { Tool, ToolWithHandler } from '@kernel/protocol';
import { readingDisk } from '../workspace/editor/read-scopes.ts';
import { quote, toolError } from '../workspace/errors.ts';
import { compileEitherGlob, escapeGlob, literalBrackets, type PathTest } from '../workspace/glob.ts';
import type { Workspace } from '../workspace/index.ts';
import { count } from './describe.ts';
import { createSkipped } from './search/skipped.ts';
import { walkFiles } from './walk-files.ts';

const MAX_PATHS = 500;

const CHANGED_PATTERN = String.raw`^(today|yesterday|\d{1,5} (minute|hour|day)s?)$`;

const tool: Tool = {
  name: 'glob',
  title: 'Find files by name',
  description: 'Returns the paths of files that match a glob, sorted. Leaves out what .gitignore ignores.',
  parameters: objectSchema(['pattern'], {
    pattern: {
      type: 'string',
      minLength: 1,
      maxLength: 500,
      description: 'Such as "src/**/*.ts", "**/*.{md,txt}" or "package.json" (in any folder).',
    },
    path: { type: 'string', description: 'Folder to look in. Absent: the workspace.' },
    changed: {
      type: 'string',
      pattern: CHANGED_PATTERN,
      description: 'Only files whose last change was then: "today", "yesterday", or within the last "3 hours".',
    },
    count: { type: 'boolean', description: 'Whether only the number of the files is returned.' },
  }),
  effect: 'read',
  metadata: {
    category: 'code',
    usageHint: 'To find files whose name or path fits a pattern with wildcards, such as all files with an extension.',
  },
};

interface Input {
  readonly pattern: string;
  readonly path?: string;
  readonly changed?: string;
  readonly count?: boolean;
}

/**
 * Creates the tool `glob`: at most 500 paths, relative to the workspace, or their number. A pattern without a slash matches the names of files in any
 * folder. `now` is replaceable in tests.
 */
export function globTool(workspace: Workspace, now: () => number = Date.now): ToolWithHandler {
  return readingDisk({
    tool,
    handler: async ({ changed, count: isCount = false, path = '.', pattern }: Input, { signal }) => {
      const period = changed === undefined ? undefined : periodOf(changed, now());
      const { path: start, type } = await workspace.stat(path === '' ? '.' : path, { signal });
      if (type !== 'directory') throw toolError(`${quote(path)} is a file, not a folder.`);
      const { fits, folder: named } = await readGlob(workspace, start, pattern, signal);
      const found: string[] = [];
      let total = 0;
      const skipped = createSkipped();
      for await (const file of walkFiles(workspace, named ?? start, signal, skipped)) {
        if (!fits(start === '.' ? file : file.slice(start.length + 1))) continue;
        if (period !== undefined && !(await isChangedIn(workspace, file, period, signal))) continue;
        total += 1;
        if (isCount) continue;
        if (found.length === MAX_PATHS)
          return `${found.join('\n')}\n… (more than ${MAX_PATHS} files; use a narrower pattern)`;
        found.push(visibleLine(file));
      }
      const notes = [
        ...(period?.note === undefined ? [] : [period.note]),
        ...skipped.reasons({ links: true }).map((reason) => `(without ${reason})`),
      ];
      if (isCount && total > 0)
        return [
          `${count(total, 'file')} ${total === 1 ? 'matches' : 'match'} ${quote(pattern)}, without what .gitignore leaves out and what usually holds credentials.`,
          ...notes,
        ].join('\n');
      if (found.length > 0) return [...found, ...notes].join('\n');
      const when =
        changed === undefined ? '' : ` with a last change ${changed.includes(' ') ? `within ${changed}` : changed}`;
      const folder = await folderAt(workspace, start, pattern, signal);
      if (folder !== undefined)
        return `${quote(folder)} is a folder, and this finds files: use ${quote(`${folder}/**`)} or list_directory.`;
      return [
        `No file matches ${quote(pattern)}${when}, apart from what .gitignore leaves out.`,
        ...notes.slice(period?.note === undefined ? 0 : 1),
      ].join('\n');
    },
  });
}

export interface PathGlob {
  readonly fits: PathTest;
  /** The folder that it names before its first wildcard: a search begins there, so that what is named is seen even if `.gitignore` leaves it out. */
  readonly folder: string | undefined;
}

/**
 * Reads a glob of the model for paths below `start`; one without a slash is a name in any folder, and one that begins with the folder of the workspace is
 * meant below that. Brackets and braces are also tried as characters of names, and as far as
 * names with them exist below `start`, they are taken for nothing else: `app/[locale]/**` is the folder `[locale]` where there is one. Throws an error
 * for the model if the glob is invalid, or leads out of the workspace, where nothing is looked at.
 */
export async function readGlob(
  workspace: Workspace,
  start: string,
  pattern: string,
  signal: AbortSignal,
): Promise<PathGlob> {
  const clean = belowStart(workspace, start, pattern);
  try {
    if (!clean.includes('/')) return { fits: compileInAnyForm(`**/${clean}`), folder: undefined };
    compileEitherGlob(clean);
    const names = clean.split('/');
    const literal = await literalNames(workspace, start, names, signal);
    const fits = compileInAnyForm([...names.slice(0, literal).map(literalBrackets), ...names.slice(literal)].join('/'));
    const folders = names.slice(0, Math.min(literal, names.length - 1)).join('/');
    return { fits, folder: folders === '' ? undefined : await folderAt(workspace, start, folders, signal) };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw toolError(`${quote(pattern)}: ${error.message}`);
  }
}

/** Letters with marks match however they are written: macOS has names in another Unicode form than people type. */
function compileInAnyForm(glob: string): PathTest {
  const fits = compileEitherGlob(glob.normalize('NFC'));
  return (path) => fits(path.normalize('NFC'));
}

async function folderAt(
  workspace: Workspace,
  start: string,
  pattern: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const path = posix.join(start, pattern.replaceAll(/\\([^])/g, '$1')).replace(/(?<=.)\/$/, '');
  const found = await workspace.stat(path, { signal }).catch(() => undefined);
  signal.throwIfAborted();
  return found?.type === 'directory' && found.path === path ? path : undefined;
}

function belowStart({ folder }: Workspace, start: string, pattern: string): string {
  const isAbsolute = folder !== undefined && pattern.startsWith(`${folder}/`);
  if (!isAbsolute && !pattern.split('/').includes('..')) return pattern.replace(/^(?:\.?\/)+/, '');
  const base = start === '.' ? '' : `${escapeGlob(start)}/`;
  const glob = posix.normalize(isAbsolute ? pattern.slice(folder.length + 1) : base + pattern);
  if (glob === '..' || glob.startsWith('../'))
    throw toolError(`${quote(pattern)} leaves the workspace; only files inside it are found.`);
  if (!glob.startsWith(base))
    throw toolError(`${quote(pattern)} is not below ${quote(start)}: give another path, or none.`);
  return glob.slice(base.length);
}

/** How many names at the beginning of a glob are those of files and folders as they are written. */
async function literalNames(
  workspace: Workspace,
  start: string,
  names: readonly string[],
  signal: AbortSignal,
): Promise<number> {
  let path = start;
  for (const [index, name] of names.entries()) {
    if (/(?<!\\)[*?]/.test(name)) return index;
    path = posix.join(path, name.replaceAll(/\\([^])/g, '$1'));
    if (!/(?<!\\)[[{]/.test(name)) continue;
    const found = await workspace.stat(path, { signal }).catch(() => undefined);
    signal.throwIfAborted();
    if (found === undefined) return index;
  }
  return names.length;
}

interface Period {
  readonly from: number;
  readonly to: number;
  readonly note?: string;
}

const UNIT_MS: ReadonlyMap<string, number> = new Map([
  ['minute', 60_000],
  ['hour', 3_600_000],
  ['day', 86_400_000],
]);

/**
 * Reads `today` and `yesterday`, days on the clock of this machine, and `3 hours` or `2 days` (48 hours), the time up
 * to now.
 */
function periodOf(text: string, now: number): Period {
  const date = new Date(now);
  const midnight = (days: number): number =>
    new Date(date.getFullYear(), date.getMonth(), date.getDate() + days).getTime();
  if (text === 'today') return { from: midnight(0), to: midnight(1) };
  if (text === 'yesterday')
    return { from: midnight(-1), to: midnight(0), note: '(without files that changed again today)' };
  const [amount = '', unit = ''] = text.replace(/s$/, '').split(' ');
  return { from: now - Number(amount) * (UNIT_MS.get(unit) ?? 0), to: Infinity };
}

async function isChangedIn(
  workspace: Workspace,
  path: string,
  { from, to }: Period,
  signal: AbortSignal,
): Promise<boolean> {
  const info = await workspace.stat(path, { signal }).catch((error: unknown) => {
    if (signal.aborted) throw error;
    return undefined;
  });
  return info !== undefined && info.modifiedMs >= from && info.modifiedMs < to;
}
