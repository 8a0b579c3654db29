import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import type { AgentWorkspace } from '../options.ts';

const MAX_FILE = 16 * 1024 ** 2;

/** A file as it was read. */
export interface ReadFile {
  readonly bytes: Uint8Array;
  readonly mode: number;
  /** Undefined if it is not text. */
  readonly text: string | undefined;
}

/** Reads a file of a workspace; undefined if that cannot be. */
export async function readFileInWorkspace(
  workspace: AgentWorkspace,
  path: string,
  signal?: AbortSignal,
): Promise<(ReadFile & { readonly version: string }) | undefined> {
  const file = await workspace.read(path, { signal, maxBytes: MAX_FILE }).catch(() => undefined);
  return file && { bytes: file.bytes, mode: file.mode, version: file.version, text: textOf(file.bytes) };
}

/** Reads a file of a copy, and no link; undefined if that cannot be. */
export async function readFileInCopy(path: string): Promise<ReadFile | undefined> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await open(path, flags).catch(() => undefined);
  if (file === undefined) return undefined;
  try {
    const info = await file.stat();
    if (!info.isFile() || info.size > MAX_FILE) return undefined;
    const bytes = await file.readFile();
    return { bytes, mode: info.mode, text: textOf(bytes) };
  } finally {
    await file.close();
  }
}

/** The bytes as text, if that says all of them. */
function textOf(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
