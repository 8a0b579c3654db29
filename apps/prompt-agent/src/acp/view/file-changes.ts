import { join, resolve } from 'node:path';
import { isObject, parseJson } from '@kernel/internal';
import type { ToolCall } from '@kernel/protocol';
import type { ToolCallLocation } from '@agentclientprotocol/sdk/unstable';
import { withCachedEditorReads, type Workspace } from '@kernel/toolbox/workspace';
import { readAgentPatch } from '../../approval/agent-requests.ts';
import { tryChange } from '../../approval/try-change.ts';

/** What a call does to the text of one file. */
export interface FileChange {
  /** The absolute path of the file. */
  readonly path: string;
  /** The text before; absent for a new file. */
  readonly oldText?: string | undefined;
  /** The text after; empty for a file that is removed. */
  readonly newText: string;
  /** The first line that changes, from 1, where the texts are those of the whole file. */
  readonly line?: number;
}

/** What a call does to files. */
export interface FileChanges {
  readonly files: readonly FileChange[];
  /** Whether `files` are all that it changes, except for what `notes` say. */
  readonly isWhole: boolean;
  /** What no diff shows, a line each: modes that another agent changes, and what it changed besides. */
  readonly notes: readonly string[];
}

export const NO_CHANGES: FileChanges = { files: [], isWhole: false, notes: [] };

/** Whether a tool of this name writes text, so that what it changes is a diff. */
export function isWriting(name: string): boolean {
  return name === 'edit_file' || name === 'write_file' || name === 'apply_patch';
}

/** The longest file whose change is shown, in bytes. */
const MAX_BYTES = 1024 * 1024;
const MAX_FILES = 100;

/**
 * Finds out what a call of a tool that writes text would change: it is tried on an overlay of the workspace, which is dropped. Resolves to no changes for any other
 * tool, and for a call that would fail. `folder` is that of the workspace as the editor knows it. Files that are not UTF-8 text, or longer than 1 MiB, and those beyond the first 100 are left out.
 */
export async function changesOf(
  { workspace, folder }: { readonly workspace: Workspace; readonly folder: string },
  call: ToolCall,
  signal: AbortSignal,
): Promise<FileChanges> {
  if (!isWriting(call.name)) return NO_CHANGES;
  const { call: own, notes } = readAgentPatch(call);
  const changes = await withCachedEditorReads(() =>
    tryChange(workspace, own, signal, async ({ isError }, overlay): Promise<FileChanges> => {
      if (isError === true) return { ...NO_CHANGES, notes };
      const changed = overlay.changes().filter(({ what }) => what !== 'directory-made' && what !== 'directory-removed');
      const found = await Promise.all(
        changed.slice(0, MAX_FILES).map(async ({ path, what }): Promise<FileChange | undefined> => {
          const [oldText, newText] = await Promise.all([
            what === 'created' ? undefined : textAt(workspace, path, signal),
            what === 'removed' ? '' : textAt(overlay, path, signal),
          ]);
          if (newText === undefined || (oldText === undefined && what !== 'created')) return undefined;
          return { path: join(folder, path), oldText, newText, line: firstChangedLine(oldText ?? '', newText) };
        }),
      );
      const files = found.filter((change) => change !== undefined);
      return { files, isWhole: files.length > 0 && files.length === changed.length, notes };
    }),
  );
  return changes ?? NO_CHANGES;
}

/** What the arguments of a call say that it wrote, for one whose file may be another by now: the texts that it replaced, or all of a file. */
export function changesIn({ name, arguments: json }: ToolCall, folder: string): readonly FileChange[] {
  const input = parseJson(json);
  if (!isObject(input) || typeof input['path'] !== 'string') return [];
  const path = resolve(folder, input['path']);
  if (name === 'write_file') return typeof input['content'] === 'string' ? [{ path, newText: input['content'] }] : [];
  const edits: readonly unknown[] = name === 'edit_file' && Array.isArray(input['edits']) ? input['edits'] : [];
  return edits.flatMap((edit) => {
    const { old_text: oldText, new_text: newText } = isObject(edit) ? edit : {};
    return typeof oldText === 'string' && typeof newText === 'string' ? [{ path, oldText, newText }] : [];
  });
}

/** Where a call changes something: the first such line of each file that is known, and whatever else it is about. */
export function locationsOf(
  changes: readonly FileChange[],
  described: readonly ToolCallLocation[],
): ToolCallLocation[] {
  const changed = changes.flatMap(({ path, line }) => (line === undefined ? [] : [{ path, line }]));
  const paths = new Set(changed.map(({ path }) => path));
  return [...changed, ...described.filter(({ path }) => !paths.has(path))];
}

function firstChangedLine(before: string, after: string): number {
  let line = 1;
  for (let at = 0; at < before.length && before[at] === after[at]; at += 1) if (before[at] === '\n') line += 1;
  return line;
}

async function textAt(workspace: Workspace, path: string, signal: AbortSignal): Promise<string | undefined> {
  try {
    const { bytes } = await workspace.read(path, { signal, maxBytes: MAX_BYTES });
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
