import {
  createWorkspace,
  memoryWorkspace,
  overlayWorkspace,
  type Workspace,
  type WorkspaceRules,
} from '../../src/workspace/index.ts';
import { fakeEditor } from './fake-editor.ts';
import { folderWith } from './folders.ts';

type Files = Readonly<Record<string, string | Uint8Array>>;

/** A workspace of one kind over the given files. */
export interface Kind {
  readonly name: string;
  create(files: Files, rules?: WorkspaceRules): Promise<Workspace>;
}

/** A workspace on disk that keeps what it replaced beside it. */
export async function onDisk(files: Files, rules: WorkspaceRules = { write: ['**'] }): Promise<Workspace> {
  return createWorkspace({ root: folderWith(files), state: { folder: folderWith() }, write: ['**'], ...rules });
}

/** A workspace on disk, through an editor that has all of its files. */
async function throughEditor(files: Files, rules?: WorkspaceRules, keepsReturns = true): Promise<Workspace> {
  const editor = fakeEditor({ keepsReturns }).files;
  return createWorkspace({
    root: folderWith(files),
    state: { folder: folderWith() },
    write: ['**'],
    editor,
    ...rules,
  });
}

/** Workspaces whose files are kept in other ways: what the file tools do in one they do in all. */
export const STORES: readonly Kind[] = [
  { name: 'in memory', create: async (files, rules) => memoryWorkspace(files, rules) },
  { name: 'through an editor', create: throughEditor },
  {
    name: 'through an editor without returns',
    create: async (files, rules) => throughEditor(files, rules, false),
  },
];

/** Every kind of workspace: what holds for one holds for all. */
export const KINDS: readonly Kind[] = [
  { name: 'on disk', create: onDisk },
  ...STORES,
  { name: 'over one on disk', create: async (files, rules) => overlayWorkspace(await onDisk(files, rules)) },
  { name: 'over one in memory', create: async (files, rules) => overlayWorkspace(memoryWorkspace(files, rules)) },
  {
    name: 'over one through an editor',
    create: async (files, rules) => overlayWorkspace(await throughEditor(files, rules)),
  },
];

/** The text of a file. */
export async function textOf(workspace: Workspace, path: string): Promise<string> {
  return new TextDecoder().decode((await workspace.read(path)).bytes);
}

/** Every file of a workspace with its text, by path. */
export async function snapshot(workspace: Workspace, folder = '.'): Promise<Readonly<Record<string, string>>> {
  const files: Record<string, string> = {};
  for (const { name, type } of await workspace.list(folder)) {
    const path = folder === '.' ? name : `${folder}/${name}`;
    if (type === 'directory') Object.assign(files, { [`${path}/`]: '' }, await snapshot(workspace, path));
    else files[path] = await textOf(workspace, path);
  }
  return files;
}
