import { quote } from '../workspace/errors.ts';
import type { FileInfo, Workspace } from '../workspace/index.ts';

/** The versions in which the tools of a workspace last showed each file to the model. */
const seen = new WeakMap<Workspace, Map<string, string>>();

export function noteSeen(workspace: Workspace, { path, version }: Pick<FileInfo, 'path' | 'version'>): void {
  const versions = seen.get(workspace) ?? new Map<string, string>();
  seen.set(workspace, versions.set(path, version));
}

/** A sentence for the model if a file is not as it last knew it; empty if it is, or if it never read it. */
export function staleNote(workspace: Workspace, { path, version }: Pick<FileInfo, 'path' | 'version'>): string {
  const known = seen.get(workspace)?.get(path);
  if (known === undefined || known === version) return '';
  return ` Note: ${quote(path)} had changed since you read it; read it again before you rely on the rest of it.`;
}
