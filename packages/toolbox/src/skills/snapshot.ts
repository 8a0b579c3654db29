import { createHash } from 'node:crypto';
import { quote, toolError } from '../workspace/errors.ts';
import type { Workspace } from '../workspace/index.ts';
import { joinPath } from '../workspace/paths.ts';

const MAX_FILES = 1000;
const MAX_BYTES = 32 * 1024 * 1024;
const MAX_DEPTH = 10;

export interface Snapshot {
  readonly files: ReadonlyMap<string, { readonly size: number; readonly sha256: string }>;
  readonly sha256: string;
  /** The content of the files that were asked for, by path: the bytes that were hashed. */
  readonly kept: ReadonlyMap<string, Uint8Array>;
}

/** Lists the files below the root of a workspace, by path. Throws beyond the limits, and for a link or device if `strict`; otherwise those are left out. */
export async function listFiles(
  workspace: Workspace,
  strict: boolean,
  signal: AbortSignal | undefined,
): Promise<readonly string[]> {
  const found: string[] = [];
  let waiting: readonly string[] = ['.'];
  for (let depth = 0; waiting.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) throw toolError(`The skill has folders more than ${MAX_DEPTH} deep.`);
    const next: string[] = [];
    for (const folder of waiting)
      for (const { name, type } of await workspace.list(folder, { signal })) {
        const path = joinPath(folder, name);
        if (type === 'directory') next.push(path);
        else if (type === 'file') found.push(path);
        else if (strict) throw toolError(`${quote(path)} is a ${type === 'link' ? 'link' : 'device or pipe'}.`);
        if (found.length + next.length > MAX_FILES)
          throw toolError(`The skill has more than ${MAX_FILES} files and folders.`);
      }
    waiting = next;
  }
  return found.toSorted();
}

export async function takeSnapshot(
  workspace: Workspace,
  keep: readonly string[],
  signal: AbortSignal | undefined,
): Promise<Snapshot> {
  const files = new Map<string, { readonly size: number; readonly sha256: string }>();
  const kept = new Map<string, Uint8Array>();
  const whole = createHash('sha256').update('skill 1\n');
  let left = MAX_BYTES;
  for (const path of await listFiles(workspace, true, signal)) {
    const { size } = await workspace.stat(path, { signal });
    if (size > left) throw toolError(`The files of the skill have more than ${MAX_BYTES} bytes.`);
    const { bytes } = await workspace.read(path, { maxBytes: left, signal });
    left -= bytes.length;
    const sha256 = hashOf(bytes);
    files.set(path, { size: bytes.length, sha256 });
    whole.update(`${sha256} ${JSON.stringify(path)}\n`);
    if (keep.includes(path)) kept.set(path, bytes);
  }
  return { files, sha256: whole.digest('hex'), kept };
}

export function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
