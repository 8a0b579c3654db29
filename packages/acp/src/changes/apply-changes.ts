import { errorMessage } from '@kernel/internal';
import { errorResult, KernelError, type ToolResult } from '@kernel/protocol';
import { stateInWorkspace } from '../copy/copy-folder.ts';
import type { AgentWorkspace, WorkspaceEdit } from '../options.ts';
import type { FileChange } from './find-changes.ts';
import { applyTo, type FilePatch, readPatch, writePatch } from './patch.ts';

const MAX_FILE = 16 * 1024 ** 2;

/**
 * Makes the changes of a patch as one change of the workspace. Those that an agent of this process made are written as they are in its copy; a patch of another
 * process, or one that a person has edited, is made from its words. A file that has changed meanwhile is named, and stays as it is.
 */
export async function applyChanges(
  workspace: AgentWorkspace,
  patch: string,
  made: readonly FileChange[],
  signal: AbortSignal,
): Promise<ToolResult> {
  const isOwn = made.length > 0 && writePatch(made) === patch;
  const planned = isOwn
    ? await Promise.all(made.map((change) => planOf(workspace, change)))
    : await Promise.all(readPatch(patch).map((each) => planOfPatch(workspace, each, signal)));
  const edits = planned.flatMap(({ edit }) => edit ?? []);
  const failed = planned.flatMap(({ problem }) => problem ?? []);
  if (edits.length === 0) return errorResult(`Nothing was changed. ${failed.join(' ')}`.trim());
  // What is removed may be the folder of what is written.
  const ordered = [...edits.filter(({ type }) => type === 'remove'), ...edits.filter(({ type }) => type === 'write')];
  const { id } = await workspace.apply(ordered, { signal });
  const lines = edits.map((edit) => `${letterOf(edit)} ${JSON.stringify(edit.path)}`);
  return { forLLM: [`Done (change ${id}):`, ...lines, ...failed].join('\n'), forUser: patch };
}

/** What is made of one change, or why it is not. */
interface Plan {
  readonly edit?: WorkspaceEdit;
  readonly problem?: string;
}

async function planOf(workspace: AgentWorkspace, { path, state, edit }: FileChange): Promise<Plan> {
  const now = await stateInWorkspace(workspace, path);
  if (now?.state === state) return { edit };
  return { problem: `${JSON.stringify(path)} has changed in the workspace meanwhile, and was left as it is.` };
}

async function planOfPatch(workspace: AgentWorkspace, patch: FilePatch, signal: AbortSignal): Promise<Plan> {
  const { path } = patch;
  try {
    if (patch.type === 'add') return { edit: { type: 'write', path, content: patch.text, ifVersion: 'absent' } };
    if (patch.type === 'delete') return { edit: { type: 'remove', path } };
    const { bytes, version } = await workspace.read(path, { signal, maxBytes: MAX_FILE });
    const content = applyTo(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes), patch) ?? '';
    return { edit: { type: 'write', path, content, ifVersion: version } };
  } catch (error) {
    signal.throwIfAborted();
    return { problem: KernelError.is(error) ? error.message : `${JSON.stringify(path)}: ${errorMessage(error)}.` };
  }
}

function letterOf(edit: WorkspaceEdit): 'A' | 'M' | 'D' {
  if (edit.type === 'remove') return 'D';
  return edit.ifVersion === 'absent' ? 'A' : 'M';
}
