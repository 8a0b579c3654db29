import { errorMessage } from '@kernel/internal';
import type { Change, Workspace } from '@kernel/toolbox/workspace';

/** What was undone, and what was not. */
export interface Undone {
  /** The changes that were undone, the last one first. */
  readonly changes: readonly Change[];
  /** Why others were not: one sentence each, with the path. */
  readonly refused: readonly string[];
}

/**
 * Undoes the changes of a workspace after the one with the id `since`, the last one first. A file that was changed since is left as it is, and
 * named; the others are undone all the same.
 */
export async function undoChanges(workspace: Workspace, since = ''): Promise<Undone> {
  const changes: Change[] = [];
  const refused: string[] = [];
  const ids = workspace
    .undoable()
    .map(({ id }) => id)
    .filter((id) => Number(id) > Number(since));
  for (const id of ids.toReversed()) {
    try {
      // oxlint-disable-next-line no-await-in-loop -- in order: a change may depend on the one before it
      changes.push(...(await workspace.undo({ id })));
    } catch (error) {
      refused.push(errorMessage(error));
    }
  }
  return { changes, refused };
}

/** Returns a line for each path that was undone. */
export function undoneLines(changes: readonly Change[]): readonly string[] {
  return changes.flatMap(({ paths }) => paths.map(({ path, what, to }) => sentence(path, what, to)));
}

function sentence(path: string, what: Change['paths'][number]['what'], to = ''): string {
  switch (what) {
    case 'created':
      return `removed again: ${path}`;
    case 'changed':
      return `restored: ${path}`;
    case 'removed':
    case 'directory-removed':
      return `there again: ${path}`;
    case 'moved':
      return `moved back: ${to} to ${path}`;
    case 'directory-made':
      return `removed again: ${path}/`;
  }
}
