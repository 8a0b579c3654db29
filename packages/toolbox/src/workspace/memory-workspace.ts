import { missingError, quote, toolError } from './errors.ts';
import { workspaceOver } from './from-storage.ts';
import { createJournal, memoryStore } from './journal/journal.ts';
import { MAX_KEPT_BYTES } from './create-workspace.ts';
import { joinPath, lineage, nameOf, normalizePath, parentOf } from './paths.ts';
import { compileRules, type Rules } from './rules.ts';
import type { Storage } from './storage.ts';
import type { FileInfo, Workspace, WorkspaceRules } from './types.ts';

/**
 * Creates a workspace in memory, with the content of files by their paths. `rules` are those of `createWorkspace`, except that everything may be written by
 * default. It has no links.
 *
 * @example
 * ```ts
 * import { fileTools, memoryWorkspace } from '@kernel/toolbox';
 * import { createRegistry } from '@kernel/tools';
 *
 * const workspace = memoryWorkspace({ 'src/answer.ts': 'export const answer = 41;' });
 * const tools = createRegistry(fileTools(workspace));
 * ```
 */
export function memoryWorkspace(
  files: Readonly<Record<string, string | Uint8Array>> = {},
  rules: WorkspaceRules = {},
): Workspace {
  const compiled = compileRules('memoryWorkspace', { write: ['**'], ...rules });
  const nodes = new Map<string, Node>([['.', newFolder(0o755)]]);
  for (const [path, content] of Object.entries(files)) {
    const normal = normalizePath(path, []);
    for (const folder of lineage(parentOf(normal))) if (!nodes.has(folder)) nodes.set(folder, newFolder(0o755));
    nodes.set(normal, newFile(typeof content === 'string' ? new TextEncoder().encode(content) : content, 0o644));
  }
  return workspaceOver(memoryStorage(nodes, compiled), createJournal(memoryStore(), MAX_KEPT_BYTES));
}

interface Node {
  readonly bytes: Uint8Array | undefined;
  readonly mode: number;
  readonly modifiedMs: number;
  readonly version: string;
}

let versions = 0;

function newFile(bytes: Uint8Array, mode: number): Node {
  versions += 1;
  return { bytes: bytes.slice(), mode, modifiedMs: Date.now(), version: `m${versions}` };
}

function newFolder(mode: number): Node {
  versions += 1;
  return { bytes: undefined, mode, modifiedMs: Date.now(), version: `m${versions}` };
}

function memoryStorage(nodes: Map<string, Node>, rules: Rules): Storage {
  /** What is at a path; undefined for one that goes through a file or ends in a slash. */
  const nodeAt = (path: string): Node => {
    checkNames(path);
    const node = nodes.get(path);
    if (node !== undefined) return node;
    const isThroughFile = lineage(parentOf(path)).some((each) => nodes.get(each)?.bytes !== undefined);
    throw isThroughFile ? toolError(`${quote(path)}: a part of the path is a file.`) : missingError(path);
  };
  const infoOf = (path: string, { bytes, mode, modifiedMs, version }: Node): FileInfo => ({
    path,
    type: bytes === undefined ? 'directory' : 'file',
    size: bytes?.length ?? 0,
    modifiedMs,
    mode,
    version,
  });
  const below = (folder: string) =>
    [...nodes.keys()].filter((path) => path !== '.' && (folder === '.' || path.startsWith(`${folder}/`)));
  const checkWrite = (path: string): void => {
    if (path === '.') throw toolError('The root of the workspace itself cannot be changed.');
    rules.check('write', path, path);
    checkNames(path);
    if (nodeAt(parentOf(path)).bytes !== undefined) throw toolError(`${quote(path)}: a part of the path is a file.`);
  };

  return {
    folder: undefined,
    normalize: (path) => normalizePath(path, []),
    allows: (access, path) => rules.allows(access, path),
    check: (access, path) => rules.check(access, path, path),
    find: async (path) => {
      rules.checkFolder(path, path);
      checkNames(path);
      const isThroughFile = lineage(parentOf(path)).some((each) => nodes.get(each)?.bytes !== undefined);
      if (isThroughFile) nodeAt(path);
      const node = nodes.get(path);
      return node === undefined ? undefined : infoOf(path, node);
    },
    read: async (path, { access, length, maxBytes, start }) => {
      rules.check(access, path, path);
      const node = nodeAt(path);
      if (node.bytes === undefined) throw toolError(`${quote(path)} is not a file.`);
      const end = Math.min(node.bytes.length, start + (length ?? Infinity));
      if (end - start > maxBytes)
        throw toolError(
          `${quote(path)} has ${node.bytes.length} bytes; at most ${maxBytes} are read at once. Read a range.`,
        );
      return { ...infoOf(path, node), bytes: node.bytes.slice(start, Math.max(start, end)) };
    },
    list: async (path, { sizes = false }) => {
      rules.checkFolder(path, path);
      if (nodeAt(path).bytes !== undefined) throw toolError(`${quote(path)} is a file, not a folder.`);
      return below(path)
        .filter((each) => parentOf(each) === path)
        .map((each) => {
          const bytes = nodes.get(each)?.bytes;
          if (bytes === undefined) return { name: nameOf(each), type: 'directory' as const };
          return { name: nameOf(each), type: 'file' as const, ...(sizes ? { size: bytes.length } : {}) };
        });
    },
    replace: async (path, bytes, { before, mode, onVersion }) => {
      checkWrite(path);
      const there = nodes.get(path);
      if (there?.version !== before?.version)
        throw toolError(`${quote(path)} changed while it was being written; nothing was written. Read it again.`);
      const node = newFile(bytes, mode ?? before?.mode ?? 0o644);
      onVersion?.(node.version);
      nodes.set(path, node);
      return infoOf(path, node);
    },
    makeFolder: async (path, { holds = '', mode = 0o755 } = {}) => {
      rules.check('write', holds === '' ? path : joinPath(path, holds), path);
      checkNames(path);
      if (nodeAt(parentOf(path)).bytes !== undefined) throw toolError(`${quote(path)}: a part of the path is a file.`);
      nodes.set(path, newFolder(mode));
    },
    removeFile: async (path) => {
      checkWrite(path);
      nodes.delete(path);
    },
    removeFolder: async (path) => {
      checkWrite(path);
      if (below(path).length > 0) throw toolError(`${quote(path)}: the folder is not empty.`);
      nodes.delete(path);
    },
    rename: async (from, to) => {
      checkWrite(from);
      checkWrite(to);
      if (nodes.has(to)) throw toolError(`${quote(to)} exists already; nothing was moved.`);
      for (const path of [from, ...below(from)]) {
        const node = nodes.get(path);
        if (node !== undefined) nodes.set(to + path.slice(from.length), node);
        nodes.delete(path);
      }
    },
    readLink: async (path) => Promise.reject(toolError(`${quote(path)} is no link.`)),
    makeLink: async (path) => Promise.reject(toolError(`${quote(path)}: there are no links in memory.`)),
  };
}

/** Names as long as file systems take them, so that what works here works on disk. */
function checkNames(path: string): void {
  if (path.length > 4095 || path.split('/').some((name) => Buffer.byteLength(name) > 255))
    throw toolError(`${quote(path)}: the name is too long.`);
}
