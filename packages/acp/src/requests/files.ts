import { constants } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errorMessage } from '@kernel/internal';
import { pathWithin, realPathWithin } from '../copy/path-within.ts';
import { MAX_FILE, readRegularFile, refused, shown } from '../copy/read-file.ts';
import type { AgentWorkspace } from '../options.ts';

/** Reads a text file of the copy for the agent: all of it, or lines of it. */
export async function readTextFile(
  folder: string,
  { path, line, limit }: { readonly path: string; readonly line?: number | null; readonly limit?: number | null },
): Promise<string> {
  const { bytes } = await readRegularFile(join(folder, await resolveIn(folder, path)), path);
  const text = bytes.toString('utf8');
  if ((line ?? limit ?? undefined) === undefined) return text;
  const from = Math.max(0, (line ?? 1) - 1);
  return text
    .split('\n')
    .slice(from, from + (limit ?? Infinity))
    .join('\n');
}

/** Writes a text file of the copy for the agent, if the rules of the workspace allow the path. */
export async function writeTextFile(
  folder: string,
  workspace: AgentWorkspace,
  { path, content }: { readonly path: string; readonly content: string },
): Promise<void> {
  const named = pathWithin(folder, path) ?? '.';
  const target = join(folder, await resolveIn(folder, path));
  if (!workspace.allows('write', named))
    throw refused(`the rules of the workspace do not allow writing ${shown(named)}`);
  if (Buffer.byteLength(content) > MAX_FILE) throw refused(`the content is larger than ${MAX_FILE} bytes`);
  await mkdir(dirname(target), { recursive: true });
  const flags =
    constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await open(target, flags, 0o666).catch((error: unknown) => {
    throw refused(`${shown(named)} cannot be written: ${errorMessage(error)}`);
  });
  try {
    if (!(await file.stat()).isFile()) throw refused(`${shown(path)} is not a file`);
    await file.writeFile(content);
  } finally {
    await file.close();
  }
}

/** Returns the path of a file in the copy, links followed. */
async function resolveIn(folder: string, path: string): Promise<string> {
  const real = await realPathWithin(folder, path);
  if (real !== undefined && real !== '.') return real;
  throw refused(`${shown(path)} is not in the folder of the session`);
}
