import { realpathSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { checkChoice, checkKeys, checkNumber, invalidOption, KernelError, optionKeys } from '@kernel/protocol';
import { createGuard } from './disk/guard.ts';
import { createProtectedFiles } from './disk/protected-files.ts';
import { diskStorage } from './disk/disk-storage.ts';
import { editorStorage } from './editor/editor-storage.ts';
import { quote, reasonOf } from './errors.ts';
import { workspaceOver } from './from-storage.ts';
import { diskStore } from './journal/disk-store.ts';
import { createJournal } from './journal/journal.ts';
import { compileRules } from './rules.ts';
import type { Workspace, WorkspaceOptions } from './types.ts';

export const MAX_KEPT_BYTES = 256 * 1024 * 1024;

const KEYS = optionKeys<WorkspaceOptions>({
  root: true,
  read: true,
  write: true,
  deny: true,
  denyCredentials: true,
  state: true,
  hardLinks: true,
  editor: true,
});

/**
 * Creates the workspace of a folder on disk. Rejects with `CONFIG_INVALID` for invalid options, or if the folder does not exist.
 *
 * `read`, `write` and `deny` are lists of globs, as in a `.gitignore`: one without a slash before its end matches a name at any depth, any other a
 * path from the root; a glob that matches a folder covers everything in it; of several that match, the last one decides, and `!` negates it. So
 * `write: ['src', '!src/generated']` allows everything below any `src` except that. `deny` takes precedence over both. What takes access away
 * (`deny`, and `!` in the others) matches names in any case and Unicode form; what grants access matches names only as written.
 *
 * @example
 * ```ts
 * import { createWorkspace, fileTools } from '@kernel/toolbox';
 * import { createRegistry } from '@kernel/tools';
 *
 * const workspace = await createWorkspace({ root: process.cwd(), write: ['src'] });
 * const tools = createRegistry(fileTools(workspace));
 * ```
 */
export async function createWorkspace(options: WorkspaceOptions): Promise<Workspace> {
  checkKeys('createWorkspace', options, KEYS);
  const { root: folder, state = {}, hardLinks, editor, ...rules } = options;
  if (typeof folder !== 'string' || folder === '') throw invalidOption('createWorkspace', 'root', 'a folder', folder);
  checkNumber('createWorkspace', 'state.maxBytes', state.maxBytes, 0);
  checkChoice('createWorkspace', 'hardLinks', hardLinks, ['refuse', 'read']);
  const alias = resolve(folder);
  const root = realFolder(alias, folder);
  const compiled = compileRules('createWorkspace', rules, root, alias);
  const store = diskStore(state.folder === undefined ? undefined : resolve(state.folder));
  const mayReadKeys = rules.denyCredentials === false && hardLinks === 'read';
  const guard = createGuard(root, compiled, {
    hardLinks: hardLinks ?? 'refuse',
    state: () => store.folder(),
    isProtected: mayReadKeys ? undefined : createProtectedFiles(root, (path) => compiled.denies(path)),
  });
  const disk = diskStorage({ root, alias, rules: compiled, guard });
  const storage = editor === undefined ? disk : editorStorage(disk, editor, alias);
  return workspaceOver(storage, createJournal(store, state.maxBytes ?? MAX_KEPT_BYTES));
}

function realFolder(alias: string, asked: string): string {
  try {
    const root = realpathSync.native(alias);
    if (statSync(root).isDirectory()) return root;
  } catch (error) {
    throw new KernelError(
      'CONFIG_INVALID',
      `createWorkspace: the folder ${quote(asked)} cannot be used: ${reasonOf(error)}.`,
      {
        cause: error,
      },
    );
  }
  throw new KernelError('CONFIG_INVALID', `createWorkspace: ${quote(asked)} is not a folder.`);
}
