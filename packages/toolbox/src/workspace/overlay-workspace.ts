import { errorMessage } from '@kernel/internal';
import { quote, toolError, unlessMissing } from './errors.ts';
import { workspaceOver } from './from-storage.ts';
import { createJournal, memoryStore } from './journal/journal.ts';
import { MAX_KEPT_BYTES } from './create-workspace.ts';
import { changedPath, type OverlayNode, overlayStorage } from './overlay-storage.ts';
import type { AbortOptions, OverlayWorkspace, Workspace } from './types.ts';

/**
 * Creates a workspace that shows the files of another one, with its rules, and keeps changes in memory until they are committed. Commands and other
 * programs do not see them. It cannot remove or move links. After `commit` or `discard` there is nothing left to undo here; what was committed can be
 * undone in the base.
 */
export function overlayWorkspace(base: Workspace): OverlayWorkspace {
  const storage = overlayStorage(base);
  const journal = createJournal(memoryStore(), MAX_KEPT_BYTES);
  const { nodes } = storage;
  const sorted = () => [...nodes].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return {
    ...workspaceOver(storage, journal),
    changes: () => sorted().map(([path, node]) => changedPath(path, node)),
    commit: async ({ signal } = {}) => {
      const all = sorted();
      const committed: string[] = [];
      const conflicts: { path: string; reason: string }[] = [];
      // Removals come first and from the bottom up, so that a file can take the place of a folder; then the rest from the top down.
      const removals = all.filter(([, { type }]) => type === 'absent').toReversed();
      for (const [path, node] of [...removals, ...all.filter(([, { type }]) => type !== 'absent')]) {
        signal?.throwIfAborted();
        try {
          await commitOne(base, path, node, { signal });
          nodes.delete(path);
          committed.push(path);
        } catch (error) {
          if (signal?.aborted === true) throw error;
          conflicts.push({ path, reason: errorMessage(error) });
        }
      }
      journal.clear();
      return { committed: committed.toSorted(), conflicts };
    },
    discard: () => {
      nodes.clear();
      journal.clear();
    },
  };
}

async function commitOne(base: Workspace, path: string, node: OverlayNode, options: AbortOptions): Promise<void> {
  if (node.type === 'file' && node.base?.type !== 'directory') {
    const mode = node.mode === node.base?.mode || node.mode === 0o644 ? undefined : node.mode;
    await base.write(path, node.bytes, { ifVersion: node.base?.version ?? 'absent', mode, ...options });
    return;
  }
  const there = await unlessMissing(base.stat(path, options));
  if (node.type === 'directory' && there?.type === 'directory') return;
  if (there !== undefined) {
    const isOther = there.type !== node.base?.type || (there.type === 'file' && there.version !== node.base.version);
    if (isOther) throw toolError(`${quote(path)} changed since it was removed in the overlay.`);
    await base.remove(path, options);
  }
  if (node.type === 'directory') await base.makeDirectory(path, options);
  if (node.type === 'file') await base.write(path, node.bytes, { ifVersion: 'absent', ...options });
}
