import { sha256, toBase64 } from '@kernel/internal';
import { missingError, quote, toolError, unlessMissing } from './errors.ts';
import { joinPath, lineage, nameOf, parentOf } from './paths.ts';
import type { Storage } from './storage.ts';
import type { ChangedPath, DirectoryEntry, FileInfo, Workspace } from './types.ts';

/** What an overlay has at a path in place of its base. */
export interface OverlayNode {
  readonly type: 'file' | 'directory' | 'absent';
  readonly bytes: Uint8Array;
  readonly mode: number;
  readonly modifiedMs: number;
  readonly version: string;
  /** What the base had there when the overlay first differed; undefined if nothing. */
  readonly base: (FileInfo & { readonly digest: string }) | undefined;
}

export interface OverlayStorage extends Storage {
  readonly nodes: Map<string, OverlayNode>;
}

const MAX_COPIED = 256 * 1024 * 1024;
let versions = 0;

export function overlayStorage(
  base: Pick<Workspace, 'normalize' | 'allows' | 'stat' | 'read' | 'list'>,
  check = checkBy(base),
): OverlayStorage {
  const nodes = new Map<string, OverlayNode>();

  const inBase = (path: string): Promise<FileInfo | undefined> => unlessMissing(base.stat(path));

  /** The nearest thing of the overlay at or above a path, if it decides what is there. */
  const decides = (path: string): OverlayNode | undefined => {
    const own = nodes.get(path);
    if (own !== undefined) return own;
    for (const above of lineage(path).toReversed().slice(1)) {
      const node = nodes.get(above);
      if (node === undefined) continue;
      if (node.type === 'file') throw toolError(`${quote(path)}: a part of the path is a file.`);
      // A folder that the base has too shows what the base has in it.
      return node.type === 'directory' && node.base?.type === 'directory' ? undefined : { ...node, type: 'absent' };
    }
    return undefined;
  };

  const find = async (path: string): Promise<FileInfo | undefined> => {
    const node = decides(path);
    if (node !== undefined) return node.type === 'absent' ? undefined : infoOf(path, node);
    const info = await inBase(path);
    if (info === undefined || info.path === path) return info;
    const target = decides(info.path);
    return target === undefined ? info : target.type === 'absent' ? undefined : infoOf(info.path, target);
  };

  const findEntry = async (path: string): Promise<FileInfo | undefined> => {
    if (path === '.' || decides(path) !== undefined) return find(path);
    const folder = await inBase(parentOf(path));
    if (folder?.type !== 'directory') return undefined;
    const entry = (await base.list(folder.path)).find(({ name }) => name === nameOf(path));
    if (entry?.type !== 'link') return entry === undefined ? undefined : find(path);
    return { path, type: 'link', size: 0, modifiedMs: 0, mode: 0o777, version: 'link' };
  };

  /** What the base has at a path, for the first change there. */
  const original = async (path: string): Promise<OverlayNode['base']> => {
    const known = nodes.get(path);
    if (known !== undefined) return known.base;
    if (decides(path) !== undefined) return undefined;
    const info = await inBase(path);
    if (info === undefined) return undefined;
    if (info.type !== 'file') return { ...info, digest: '' };
    const { bytes } = await base.read(info.path, { maxBytes: MAX_COPIED });
    return { ...info, digest: digestOf(bytes) };
  };

  const set = (path: string, node: Omit<OverlayNode, 'version' | 'modifiedMs'> & Partial<OverlayNode>): OverlayNode => {
    versions += 1;
    const whole = { version: `o${versions}`, modifiedMs: Date.now(), ...node };
    nodes.set(path, whole);
    return whole;
  };

  /** Puts a file there; one that is like that of the base is that of the base. */
  const put = async (path: string, bytes: Uint8Array, mode: number, moved?: FileInfo): Promise<FileInfo> => {
    const was = await original(path);
    if (was?.type !== 'file' || was.mode !== mode || was.digest !== digestOf(bytes)) {
      const kept = moved && { version: moved.version, modifiedMs: moved.modifiedMs };
      return infoOf(path, set(path, { type: 'file', bytes: bytes.slice(), mode, base: was, ...kept }));
    }
    nodes.delete(path);
    return was;
  };

  const checkWrite = (path: string): void => {
    if (path === '.') throw toolError('The root of the workspace itself cannot be changed.');
    check('write', path);
  };

  const removeAt = async (path: string): Promise<void> => {
    checkWrite(path);
    const info = await findEntry(path);
    if (info === undefined) throw missingError(path);
    const before = info.type === 'link' ? { ...info, digest: '' } : await original(path);
    if (before === undefined) nodes.delete(path);
    else set(path, { type: 'absent', bytes: new Uint8Array(), mode: before.mode, base: before });
  };

  const readAll = async (info: FileInfo): Promise<Uint8Array> =>
    nodes.get(info.path)?.bytes ?? (await base.read(info.path, { maxBytes: MAX_COPIED })).bytes;

  /** Moves file by file, so that one that cannot be moved leaves the others moved. */
  const rename = async (from: string, to: string): Promise<void> => {
    checkWrite(to);
    const info = await findEntry(from);
    if (info === undefined) throw missingError(from);
    if (info.type === 'link' || info.type === 'other')
      throw toolError(`${quote(from)} is not a file; an overlay moves files and folders only.`);
    if (info.type === 'file') {
      await put(to, await readAll(info), info.mode, info);
      return removeAt(from);
    }
    await storage.makeFolder(to, { mode: info.mode });
    for (const { name } of await storage.list(from, {})) await rename(joinPath(from, name), joinPath(to, name));
    await removeAt(from);
  };

  const storage: OverlayStorage = {
    nodes,
    folder: undefined,
    normalize: (path) => base.normalize(path),
    allows: (access, path) => base.allows(access, path),
    check,
    find: (path, { entry = false } = {}) => (entry ? findEntry(path) : find(path)),
    read: async (path, { access, length, maxBytes, signal, start }) => {
      const info = await find(path);
      if (info === undefined) throw missingError(path);
      check(access, info.path);
      if (info.type !== 'file') throw toolError(`${quote(path)} is not a file.`);
      const node = nodes.get(info.path);
      if (node === undefined) return base.read(info.path, { start, length, maxBytes, signal });
      const end = Math.min(node.bytes.length, start + (length ?? Infinity));
      if (end - start > maxBytes)
        throw toolError(
          `${quote(path)} has ${node.bytes.length} bytes; at most ${maxBytes} are read at once. Read a range.`,
        );
      return { ...info, bytes: node.bytes.slice(start, Math.max(start, end)) };
    },
    list: async (path, options) => {
      const info = await find(path);
      if (info === undefined) throw missingError(path);
      if (info.type !== 'directory') throw toolError(`${quote(path)} is a file, not a folder.`);
      const own = decides(info.path);
      const below = own === undefined || own.base?.type === 'directory' ? await base.list(info.path, options) : [];
      const entries = new Map<string, DirectoryEntry>(below.map((entry) => [entry.name, entry]));
      for (const [at, node] of nodes) {
        if (at === '.' || parentOf(at) !== info.path) continue;
        const name = nameOf(at);
        if (node.type === 'absent') entries.delete(name);
        else if (node.type === 'directory') entries.set(name, { name, type: 'directory' });
        else entries.set(name, { name, type: 'file', ...(options.sizes === true ? { size: node.bytes.length } : {}) });
      }
      return [...entries.values()];
    },
    replace: async (path, bytes, { before, mode, onVersion }) => {
      checkWrite(path);
      if ((await find(path))?.version !== before?.version)
        throw toolError(`${quote(path)} changed while it was being written; nothing was written. Read it again.`);
      const info = await put(path, bytes, mode ?? before?.mode ?? 0o644);
      onVersion?.(info.version);
      return info;
    },
    makeFolder: async (path, { holds = '', mode = 0o755 } = {}) => {
      check('write', holds === '' ? path : joinPath(path, holds));
      const was = await original(path);
      if (was?.type === 'directory') nodes.delete(path);
      else set(path, { type: 'directory', bytes: new Uint8Array(), mode, base: was });
    },
    removeFile: removeAt,
    removeFolder: async (path) => {
      if ((await storage.list(path, {})).length > 0) throw toolError(`${quote(path)}: the folder is not empty.`);
      await removeAt(path);
    },
    rename: async (from, to) => {
      const before = new Map(nodes);
      try {
        await rename(from, to);
      } catch (error) {
        nodes.clear();
        for (const [path, node] of before) nodes.set(path, node);
        throw error;
      }
    },
    readLink: async (path) => Promise.reject(toolError(`${quote(path)} is a link, which an overlay does not change.`)),
    makeLink: async (path) => Promise.reject(toolError(`${quote(path)}: an overlay makes no links.`)),
  };
  return storage;
}

function checkBy(base: Pick<Workspace, 'allows'>): Storage['check'] {
  return (access, path) => {
    if (base.allows(access, path)) return;
    const what = access === 'read' ? 'read' : 'changed';
    throw toolError(
      `${quote(path)} may not be ${what}: the rules of the workspace do not allow it, or it may hold credentials.`,
    );
  };
}

function infoOf(path: string, { bytes, mode, modifiedMs, type, version }: OverlayNode): FileInfo {
  return { path, type: type === 'directory' ? 'directory' : 'file', size: bytes.length, modifiedMs, mode, version };
}

function digestOf(bytes: Uint8Array): string {
  return toBase64(sha256(bytes));
}

export function changedPath(path: string, { base, type }: OverlayNode): ChangedPath {
  if (type === 'directory') return { path, what: 'directory-made' };
  if (type === 'file') return { path, what: base?.type === 'file' ? 'changed' : 'created' };
  return { path, what: base?.type === 'directory' ? 'directory-removed' : 'removed' };
}
