import { errorMessage, isObject } from '@kernel/internal';
import { errorResult, KernelError, type ToolResult } from '@kernel/protocol';
import { isAllowed, stateInWorkspace } from '../copy/workspace-state.ts';
import type { AgentWorkspace, WorkspaceEdit } from '../options.ts';
import { digestOf, type FileRecord, modeText, readRecords } from './file-record.ts';
import { type FilePatch, linesAfter, readPatch, withBreaksOf, withLineBreaks } from './patch.ts';

const MAX_FILE = 64 * 1024 ** 2;
const MAX_TRIES = 3;

/**
 * Makes the changes of a call as one change of the workspace, each only to the state that the call is about. A part that does not fit any more is named and left,
 * and the others are applied. Of a patch that a person has edited, the words hold.
 */
export async function applyChanges(workspace: AgentWorkspace, json: string, signal: AbortSignal): Promise<ToolResult> {
  const parsed: unknown = JSON.parse(json);
  const { patch = '', shown, files }: Readonly<Record<string, unknown>> = isObject(parsed) ? parsed : {};
  const text = typeof patch === 'string' ? patch : '';
  const isEdited = digestOf(text) !== shown;
  const records = readRecords(files);
  const parts = readPatch(text, isEdited);
  const failed = new Map<string, string>();
  const applied: WorkspaceEdit[] = [];
  const ids: string[] = [];
  const planAll = async (): Promise<readonly WorkspaceEdit[]> => {
    const edits: WorkspaceEdit[] = [];
    for (const part of parts) {
      if (failed.has(part.path)) continue;
      // oxlint-disable-next-line no-await-in-loop -- one file at a time is held in memory twice
      const plan = await planOf(workspace, { part, record: records.get(part.path), isEdited, signal });
      if (typeof plan === 'string') failed.set(part.path, plan);
      else edits.push(plan);
    }
    // What is removed may be the folder of what is written.
    return [...edits.filter(({ type }) => type === 'remove'), ...edits.filter(({ type }) => type === 'write')];
  };
  const apply = async (edits: readonly WorkspaceEdit[]): Promise<string | undefined> => {
    try {
      const { id } = await workspace.apply(edits, { signal });
      ids.push(id);
      applied.push(...edits);
      return undefined;
    } catch (error) {
      signal.throwIfAborted();
      return errorMessage(error);
    }
  };
  let edits = await planAll();
  for (let tries = 1; edits.length > 0; tries += 1) {
    // oxlint-disable-next-line no-await-in-loop -- again without what does not fit any more
    if ((await apply(edits)) === undefined) break;
    const count = failed.size;
    // oxlint-disable-next-line no-await-in-loop -- as above
    edits = await planAll();
    if (failed.size > count && tries < MAX_TRIES) continue;
    for (const edit of edits) {
      // oxlint-disable-next-line no-await-in-loop -- each by itself, so that one that fails takes no other with it
      const problem = await apply([edit]);
      if (problem !== undefined) failed.set(edit.path, `${JSON.stringify(edit.path)} was left as it is: ${problem}`);
    }
    break;
  }
  const problems = [...failed.values()];
  if (applied.length === 0) return errorResult(`Nothing was changed. ${problems.join(' ')}`.trim());
  const sorted = applied.toSorted((one, other) => (one.path < other.path ? -1 : 1));
  const lines = sorted.map((edit) => `${letterOf(edit)} ${JSON.stringify(edit.path)}`);
  const done = `Done (change${ids.length > 1 ? 's' : ''} ${ids.join(', ')}):`;
  return { forLLM: [done, ...lines, ...problems].join('\n'), forUser: text };
}

interface Planning {
  readonly part: FilePatch;
  readonly record: FileRecord | undefined;
  readonly isEdited: boolean;
  readonly signal: AbortSignal;
}

/** What makes one part of a patch, or the sentence that says why it is not applied. */
async function planOf(
  workspace: AgentWorkspace,
  { part, record, isEdited, signal }: Planning,
): Promise<WorkspaceEdit | string> {
  const { path } = part;
  const named = JSON.stringify(path);
  const conflict = `${named} has changed in the workspace meanwhile, and was left as it is.`;
  if (!isAllowed(workspace, 'write', path)) return `${named} was left as it is: the rules do not let it be written.`;
  if (record === undefined && !isEdited)
    return `${named} was left as it is: the call does not say which file it is about.`;
  try {
    const state = await stateInWorkspace(workspace, path);
    if (part.type === 'add' && state !== 'absent') return conflict;
    const now = part.type === 'add' ? undefined : await workspace.read(path, { signal, maxBytes: MAX_FILE });
    if (record !== undefined && (record.before === undefined) !== (now === undefined)) return conflict;
    if (record !== undefined && now !== undefined) {
      if (digestOf(now.bytes) !== record.before) return conflict;
      if (record.mode !== undefined && modeText(now.mode) !== record.mode) return conflict;
    }
    if (part.type === 'delete') return { type: 'remove', path };
    const content = contentOf(part, record, now?.bytes);
    if (record?.after !== undefined && digestOf(content) !== record.after) {
      if (!isEdited) return `${named} was left as it is: the patch does not make what was shown.`;
      if (content.includes('[redacted]'))
        return `${named} was left as it is: a part of its new text was redacted when the call was kept.`;
    }
    const mode = record?.newMode === undefined ? now?.mode : Number.parseInt(record.newMode, 8);
    return {
      type: 'write',
      path,
      content,
      ifVersion: now?.version ?? 'absent',
      ...(mode !== undefined && { mode }),
    };
  } catch (error) {
    signal.throwIfAborted();
    const gone = (await stateInWorkspace(workspace, path)) === 'absent';
    if (gone) return conflict;
    return KernelError.is(error) ? error.message : `${named} was left as it is: ${errorMessage(error)}`;
  }
}

/** The new content of a file: with the line breaks of the record where its lines are as many, else with those of the file. */
function contentOf(part: FilePatch, record: FileRecord | undefined, bytes: Uint8Array | undefined): string {
  const before = bytes && new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  const lines = linesAfter(before, part);
  const written = record?.lineBreaks && withLineBreaks(lines, record.lineBreaks);
  return written ?? withBreaksOf(before, lines);
}

function letterOf(edit: WorkspaceEdit): 'A' | 'M' | 'D' {
  if (edit.type === 'remove') return 'D';
  return edit.ifVersion === 'absent' ? 'A' : 'M';
}
