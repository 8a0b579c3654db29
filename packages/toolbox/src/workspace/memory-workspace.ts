import { missingError, quote, toolError } from './errors.ts';
import { workspaceOver } from './from-storage.ts';
import { createJournal, memoryStore } from './journal/journal.ts';
import { MAX_KEPT_BYTES } from './create-workspace.ts';
import { overlayStorage } from './overlay-storage.ts';
import { lineage, normalizePath, parentOf } from './paths.ts';
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
  const storage = memoryStorage(compileRules('memoryWorkspace', { write: ['**'], ...rules }), files);
  return workspaceOver(storage, createJournal(memoryStore(), MAX_KEPT_BYTES));
}

/** Starts with these files in a folder that is otherwise empty. */
function memoryStorage(rules: Rules, files: Readonly<Record<string, string | Uint8Array>>): Storage {
  const root: FileInfo = {
    path: '.',
    type: 'directory',
    size: 0,
    modifiedMs: Date.now(),
    mode: 0o755,
    version: 'root',
  };
  const empty = {
    normalize,
    allows: rules.allows,
    stat: async (path: string) => (path === '.' ? root : Promise.reject(missingError(path))),
    read: async (path: string) => Promise.reject(missingError(path)),
    list: async () => [],
  };
  const storage = overlayStorage(empty, (access, path) => rules.check(access, path, path));
  const common = { modifiedMs: root.modifiedMs, base: undefined };
  const folder = { ...common, type: 'directory', bytes: new Uint8Array(), mode: 0o755, version: 'folder' } as const;
  for (const [index, [path, content]] of Object.entries(files).entries()) {
    const normal = normalize(path);
    for (const above of lineage(parentOf(normal)))
      if (above !== '.' && !storage.nodes.has(above)) storage.nodes.set(above, folder);
    const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content.slice();
    storage.nodes.set(normal, { ...common, type: 'file', bytes, mode: 0o644, version: `m${index}` });
  }
  const check = (path: string): void => {
    rules.checkFolder(path, path);
    checkNames(path);
  };
  return {
    ...storage,
    find: async (path, options) => {
      check(path);
      return storage.find(path, options);
    },
    list: async (path, options) => {
      check(path);
      return storage.list(path, options);
    },
  };
}

function normalize(path: string): string {
  return normalizePath(path, []);
}

/** Names as long as file systems take them, so that what works here works on disk. */
function checkNames(path: string): void {
  if (path.length > 4095 || path.split('/').some((name) => Buffer.byteLength(name) > 255))
    throw toolError(`${quote(path)}: the name is too long.`);
}
