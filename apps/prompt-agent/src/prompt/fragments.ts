import { createReadStream, type BigIntStats, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isObject } from '@kernel/internal';
import { KernelError, type TextPart, toModelText } from '@kernel/protocol';
import type { Workspace } from '@kernel/toolbox/workspace';
import { readBytes } from '../files/read-file.ts';
import type { Host } from '../host.ts';
import type { Output } from '../output/output.ts';
import { warnIfSlow } from '../output/warn-if-slow.ts';
import { listText } from '../sessions/quantities.ts';
import { usageError } from '../usage-error.ts';
import { decodeAnyText } from './decode-text.ts';
import { fragmentPart } from './fragment.ts';

/** What `-f` may read, in all. */
const MAX_FILES = 1000;
const MAX_BYTES = 16 * 1024 * 1024;
/** How many of the files that are left out are named. */
const MAX_NAMED = 5;
/** How much of a file is read to see whether it is text. */
const HEAD_BYTES = 8192;

/** What fragments are loaded with. */
export interface FragmentAccess {
  /** The folder that relative paths start from, and the home folder of `~/`. */
  readonly host: Pick<Host, 'cwd' | 'home'>;
  /** Where it is said how many files a folder or a glob stands for. */
  readonly output: Output;
  /** Aborts the loading. */
  readonly signal: AbortSignal;
}

/** Access, and the files and pages that were loaded already. */
interface Loading extends FragmentAccess {
  readonly loaded: Set<string>;
}

/**
 * Loads what `-f` names, each as a part of the message: a file, a pipe of the shell's `<(…)`, the text files of a folder or of a glob, or a web page. What `.gitignore` ignores, what
 * usually holds credentials and what is not text is left out of folders and globs. Rejects with a usage error that names the source, and beyond 1,000
 * files or 16 MiB in all. A file or page that is named twice, also by another path, is loaded once.
 */
export async function loadFragments(sources: readonly string[], access: FragmentAccess): Promise<readonly TextPart[]> {
  const parts: TextPart[] = [];
  const loading: Loading = { ...access, loaded: new Set() };
  let left = MAX_BYTES;
  for (const source of sources) {
    // oxlint-disable-next-line no-await-in-loop -- in order, and what is left counts
    const loaded = await loadFragment(source, loading, left);
    for (const { text } of loaded) left -= Buffer.byteLength(text);
    if (left < 0 || parts.length + loaded.length > MAX_FILES) throw tooMuch(source);
    parts.push(...loaded);
  }
  return parts;
}

async function loadFragment(source: string, access: Loading, left: number): Promise<readonly TextPart[]> {
  if (/^https?:\/\//i.test(source)) {
    if (!isNew(URL.parse(source)?.href ?? source, access)) return [];
    return [fragmentPart('page', source, await loadPage(source, access.signal))];
  }
  const { cwd, home } = access.host;
  const path = source.startsWith('~/') ? join(home, source.slice(2)) : resolve(cwd, source);
  const stats = statSync(path, { throwIfNoEntry: false, bigint: true });
  if (stats?.isDirectory() === true) return loadFolder(source, path, undefined, access, left);
  if (stats === undefined && /[*?[{]/.test(source)) return loadFolder(source, cwd, source, access, left);
  if (stats?.isFile() === true && !isNew(idOf(stats), access)) return [];
  const bytes = isOwnPipe(path, stats)
    ? await readPipe(source, path, access)
    : await readBytes(path, { what: '-f', shown: source, maxBytes: MAX_BYTES });
  if (bytes === undefined) throw usageError(`-f: "${source}" cannot be read (ENOENT).`);
  const text = await decodeAnyText(bytes, (what) => access.output.note(`-f ${source}: it ${what}`));
  if (text === undefined) throw usageError(`-f: "${source}" is not text. Give an image, a recording or a PDF with -a.`);
  return [fragmentPart('file', source, text)];
}

/** The text files of a folder, or those that a glob matches. */
async function loadFolder(
  source: string,
  root: string,
  pattern: string | undefined,
  access: Loading,
  left: number,
): Promise<readonly TextPart[]> {
  const { output, signal } = access;
  const [{ createWorkspace }, { findFiles }] = await Promise.all([
    import('@kernel/toolbox/workspace'),
    import('@kernel/toolbox/files'),
  ]);
  const parts: TextPart[] = [];
  const skipped: string[] = [];
  const doubtful: string[] = [];
  let known = 0;
  let size = 0;
  try {
    const workspace = await createWorkspace({ root });
    for await (const path of findFiles(workspace, { pattern, signal })) {
      const stats = statSync(join(root, path), { throwIfNoEntry: false, bigint: true });
      if (stats !== undefined && !isNew(idOf(stats), access)) {
        known += 1;
        continue;
      }
      const text = await readTextOf(workspace, path, signal, (what) =>
        doubtful.push(`${JSON.stringify(path)} ${what}`),
      );
      if (text === undefined) {
        skipped.push(path);
        continue;
      }
      parts.push(fragmentPart('file', path, text));
      size += Buffer.byteLength(text);
      if (size > left || parts.length > MAX_FILES) throw tooMuch(source);
    }
  } catch (error) {
    throw asUsageError(source, error);
  }
  if (parts.length === 0 && known > 0) return [];
  if (parts.length === 0)
    throw usageError(`-f: "${source}" has no text files, apart from links and what .gitignore leaves out.`);
  const leftOut = listText(
    skipped.map((path) => JSON.stringify(path)),
    MAX_NAMED,
  );
  output.note(
    `-f ${source}: ${parts.length} ${parts.length === 1 ? 'file' : 'files'}${leftOut === '' ? '' : `, ${skipped.length} left out, which are not text: ${leftOut}`}`,
  );
  if (doubtful.length > 0) output.note(`-f ${source}: ${listText(doubtful, MAX_NAMED)}`);
  return parts;
}

/** The text of a file; undefined for one that is not text, of which only the beginning is read if it is large. */
async function readTextOf(
  workspace: Workspace,
  path: string,
  signal: AbortSignal,
  warn: (what: string) => void,
): Promise<string | undefined> {
  const { bytes } = await workspace.read(path, { signal, length: HEAD_BYTES });
  if (bytes.length < HEAD_BYTES || bytes.includes(0)) return decodeAnyText(bytes, warn);
  return decodeAnyText((await workspace.read(path, { signal, maxBytes: MAX_BYTES })).bytes, warn);
}

/** What a pipe that the shell made holds, as for `-f <(git diff)`. Rejects with the reason of an abort. */
async function readPipe(source: string, path: string, { output, signal }: FragmentAccess): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  const stopWarning = warnIfSlow(output, `the end of -f ${source}`);
  try {
    for await (const piece of createReadStream(path, { signal })) {
      const bytes = Buffer.from(piece);
      pieces.push(bytes);
      size += bytes.length;
      if (size > MAX_BYTES) throw tooMuch(source);
    }
  } finally {
    stopWarning();
  }
  return Buffer.concat(pieces);
}

/** Whether something was not loaded yet; it counts as loaded from now on. */
function isNew(id: string, { loaded }: Loading): boolean {
  const isFirst = !loaded.has(id);
  loaded.add(id);
  return isFirst;
}

/** Identifies a file, by whatever path it was reached. */
function idOf({ dev, ino }: BigIntStats): string {
  return `${dev}:${ino}`;
}

/** Whether a path is a pipe that the program got when it was started: its other end is open, so it comes to an end. */
function isOwnPipe(path: string, stats: BigIntStats | undefined): boolean {
  return stats?.isFIFO() === true && /^\/(?:dev|proc\/self)\/fd\/\d+$/.test(path);
}

/** A web page as Markdown. Private addresses are reached only where the user wrote one. */
async function loadPage(url: string, signal: AbortSignal): Promise<string> {
  const [{ fetchUrlTool }, { createRegistry }] = await Promise.all([
    import('@kernel/toolbox/web'),
    import('@kernel/tools'),
  ]);
  const { hostname } = URL.parse(url) ?? { hostname: '' };
  const isLocal = hostname === 'localhost' || hostname.endsWith('.localhost') || /^[\d.]+$|^\[/.test(hostname);
  const tool = fetchUrlTool({
    maxCharacters: MAX_BYTES,
    otherHosts: isLocal ? 'report' : 'follow',
    ...(isLocal ? { mayConnect: () => true } : {}),
  });
  const result = await createRegistry([tool], { resultLimit: MAX_BYTES }).execute('fetch_url', { url }, { signal });
  signal.throwIfAborted();
  const text = toModelText(result);
  if (result.isError === true) throw usageError(`-f: "${url}": ${text}`);
  const redirect = isObject(result.data) ? result.data['redirect'] : undefined;
  if (typeof redirect === 'string') throw usageError(`-f: "${url}" redirects to ${redirect}. Give that address.`);
  // The lines about the page come before its text; the tag has its address.
  return text.slice(text.indexOf('\n\n') + 2);
}

function asUsageError(source: string, error: unknown): unknown {
  if (!KernelError.is(error) || error.code === 'CONFIG_INVALID') return error;
  return usageError(`-f: "${source}": ${error.message}`);
}

function tooMuch(source: string): KernelError {
  return usageError(`-f: "${source}" is too much: at most ${MAX_FILES} files and ${MAX_BYTES} bytes are sent in all.`);
}
