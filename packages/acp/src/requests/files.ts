import { constants } from 'node:fs';
import { mkdir, open, realpath } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { errorMessage, sliceHead } from '@kernel/internal';
import { KernelError } from '@kernel/protocol';
import type { AgentWorkspace } from '../options.ts';
import { pathWithin } from '../copy/path-within.ts';

const MAX_BYTES = 16 * 1024 ** 2;

/** Reads a text file of the copy for the agent: all of it, or lines of it. */
export async function readTextFile(
  folder: string,
  { path, line, limit }: { readonly path: string; readonly line?: number | null; readonly limit?: number | null },
): Promise<string> {
  const file = await open(
    await resolveIn(folder, path),
    constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK,
  );
  try {
    const info = await file.stat();
    if (!info.isFile()) throw refused(`${shown(path)} is not a file`);
    if (info.size > MAX_BYTES) throw refused(`${shown(path)} is larger than ${MAX_BYTES} bytes`);
    const text = await file.readFile('utf8');
    if ((line ?? undefined) === undefined && (limit ?? undefined) === undefined) return text;
    const from = Math.max(0, (line ?? 1) - 1);
    return text
      .split('\n')
      .slice(from, limit === undefined || limit === null ? undefined : from + limit)
      .join('\n');
  } finally {
    await file.close();
  }
}

/** Writes a text file of the copy for the agent, if the rules of the workspace allow the path. */
export async function writeTextFile(
  folder: string,
  workspace: AgentWorkspace,
  { path, content }: { readonly path: string; readonly content: string },
): Promise<void> {
  const relativePath = pathWithin(folder, path);
  if (relativePath === undefined) throw outside(path);
  if (!workspace.allows('write', relativePath))
    throw refused(`the rules of the workspace do not allow writing ${shown(relativePath)}`);
  if (Buffer.byteLength(content) > MAX_BYTES) throw refused(`the content is larger than ${MAX_BYTES} bytes`);
  await makeFolders(folder, dirname(relativePath));
  const target = await resolveIn(folder, path);
  const flags =
    constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await open(target, flags, 0o666).catch((error: unknown) => {
    throw refused(`${shown(relativePath)} cannot be written: ${errorMessage(error)}`);
  });
  try {
    if (!(await file.stat()).isFile()) throw refused(`${shown(path)} is not a file`);
    await file.writeFile(content);
  } finally {
    await file.close();
  }
}

/** Makes the folders of a path one by one, so that none is made through a link that leads out. */
async function makeFolders(folder: string, relativePath: string): Promise<void> {
  let at = folder;
  for (const name of relativePath === '.' ? [] : relativePath.split('/')) {
    at = join(at, name);
    // oxlint-disable-next-line no-await-in-loop -- each is in the one before it
    await mkdir(at).catch((error: unknown) => {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    });
    // oxlint-disable-next-line no-await-in-loop -- as above
    const real = await realpath(at);
    if (!real.startsWith(folder + sep)) throw outside(relativePath);
  }
}

/** The path of a file whose folder, links followed, is in the copy. */
async function resolveIn(folder: string, path: string): Promise<string> {
  const relativePath = pathWithin(folder, path);
  if (relativePath === undefined || relativePath === '.') throw outside(path);
  const whole = join(folder, relativePath);
  const real = await realpath(whole).catch(async () =>
    join(await realpath(dirname(whole)), whole.slice(dirname(whole).length)),
  );
  if (!real.startsWith(folder + sep)) throw outside(path);
  return real;
}

function outside(path: string): KernelError {
  return refused(`${shown(path)} is not in the folder of the session`);
}

function refused(what: string): KernelError {
  return new KernelError('TOOL_FAILED', `${what}.`);
}

function shown(path: string): string {
  return JSON.stringify(sliceHead(path, 200));
}
