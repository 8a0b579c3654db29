export type {
  AbortOptions,
  Access,
  Change,
  ChangedPath,
  CommitResult,
  DirectoryEntry,
  Edit,
  FileContent,
  FileInfo,
  FileType,
  ListOptions,
  OverlayWorkspace,
  ReadOptions,
  RemoveOptions,
  StateOptions,
  UndoOptions,
  Workspace,
  WorkspaceOptions,
  WorkspaceRules,
  WriteOptions,
} from './types.ts';
export type { EditorFiles } from './editor/editor-files.ts';
export { withCachedEditorReads } from './editor/read-scopes.ts';
export { createWorkspace } from './create-workspace.ts';
export { withFileLock } from '../locks/file-lock.ts';
export { memoryWorkspace } from './memory-workspace.ts';
export { overlayWorkspace } from './overlay-workspace.ts';
export { mayHoldCredentials } from './credential-names.ts';
export { compileGlob } from './glob.ts';
export type { PathTest } from './glob.ts';
