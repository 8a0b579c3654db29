import { errorMessage } from '@kernel/internal';
import { errorResult, KernelError, type ToolResult } from '@kernel/protocol';
import type { FilePatch } from '@kernel/toolbox/files';
import { pathPrefixes } from '../copy/path-within.ts';
import { emptiedFolders, isAllowed, stateInWorkspace } from '../copy/workspace-state.ts';
import type { AgentWorkspace, WorkspaceEdit } from '../options.ts';
import { type ChangesCall, digestOf, type FileRecord, modeText } from './file-record.ts';
import { decodeExactly, withBreaksOf, withLineBreaks } from './lines.ts';
import { linesAfter, readPatch } from './read-patch.ts';

const MAX_FILE = 64 * 1024 ** 2;
const LETTERS = { add: 'A', update: 'M', delete: 'D' } as const;

/**
 * Makes the changes of a call as one change of the workspace, each only to the state that the call is about. A part that does not fit any more is named and left,
 * and the others are applied. Of a patch that a person has edited, the words hold.
 */
export async function applyChanges(workspace: AgentWorkspace, json: string, signal: AbortSignal): Promise<ToolResult> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the schema of the tool says so
  const { patch, patchDigest, files = [] } = JSON.parse(json) as ChangesCall;
  const isEdited = digestOf(patch) !== patchDigest;
  const records = new Map(files.map((record) => [record.path, record]));
  const failed = new Map<string, string>();
  const applied: FilePatch[] = [];
  const ids: string[] = [];

  /** Plans parts that are made together or not at all; undefined if one does not fit. */
  const planUnit = async (unit: readonly FilePatch[]): Promise<readonly WorkspaceEdit[] | undefined> => {
    const removed = new Set(unit.flatMap(({ type, path }) => (type === 'delete' ? [path] : [])));
    const edits: WorkspaceEdit[] = [];
    for (const part of unit) {
      const record = records.get(part.path);
      const plan = await planOf(workspace, { part, record, removed, isEdited, signal });
      if (typeof plan !== 'string') edits.push(...plan);
      else {
        const named = JSON.stringify(part.path);
        for (const { path } of unit) failed.set(path, `${JSON.stringify(path)} was left as it is, as ${named} was.`);
        failed.set(part.path, plan);
        return undefined;
      }
    }
    return edits;
  };
  /** Makes some parts as one change. Returns why the workspace refused it. */
  const make = async (parts: readonly FilePatch[], edits: readonly WorkspaceEdit[]): Promise<string | undefined> => {
    try {
      const { id } = await workspace.apply(edits, { signal });
      ids.push(id);
      applied.push(...parts);
      return undefined;
    } catch (error) {
      signal.throwIfAborted();
      return errorMessage(error);
    }
  };

  const fitting: (readonly FilePatch[])[] = [];
  const planned: WorkspaceEdit[] = [];
  for (const unit of unitsOf(readPatch(patch, isEdited))) {
    const edits = await planUnit(unit);
    if (edits === undefined) continue;
    fitting.push(unit);
    planned.push(...edits);
  }
  const refused = planned.length > 0 && (await make(fitting.flat(), planned)) !== undefined;
  // Each by itself, so that one that was refused takes no other with it.
  for (const unit of refused ? fitting : []) {
    const edits = await planUnit(unit);
    const problem = edits && (await make(unit, edits));
    if (problem === undefined) continue;
    for (const { path } of unit) failed.set(path, `${JSON.stringify(path)} was left as it is: ${problem}`);
  }
  const problems = [...failed.values()];
  if (applied.length === 0) return errorResult(`Nothing was changed. ${problems.join(' ')}`.trim());
  const sorted = applied.toSorted((one, other) => (one.path < other.path ? -1 : 1));
  const lines = sorted.map(({ type, path }) => `${LETTERS[type]} ${JSON.stringify(path)}`);
  const done = `Done (change${ids.length > 1 ? 's' : ''} ${ids.join(', ')}):`;
  return { forLLM: [done, ...lines, ...problems].join('\n'), forUser: patch };
}

/** Puts those parts together where one is a file and the others are in the folder of its name, which takes its place or the other way round: removals first. */
function unitsOf(parts: readonly FilePatch[]): readonly (readonly FilePatch[])[] {
  const paths = new Set(parts.map(({ path }) => path));
  const removals = parts.filter(({ type }) => type === 'delete');
  const all = [...removals, ...parts.filter(({ type }) => type !== 'delete')];
  return [...Map.groupBy(all, ({ path }) => pathPrefixes(path).find((each) => paths.has(each))).values()];
}

interface Planning {
  readonly part: FilePatch;
  readonly record: FileRecord | undefined;
  /** The files that are removed with it. */
  readonly removed: ReadonlySet<string>;
  readonly isEdited: boolean;
  readonly signal: AbortSignal;
}

/** Returns what makes one part of a patch, or the sentence that says why it is not applied. */
async function planOf(
  workspace: AgentWorkspace,
  { part, record, removed, isEdited, signal }: Planning,
): Promise<readonly WorkspaceEdit[] | string> {
  const { path } = part;
  const named = JSON.stringify(path);
  const conflict = `${named} has changed in the workspace meanwhile, and was left as it is.`;
  if (!isAllowed(workspace, 'write', path)) return `${named} was left as it is: the rules do not allow writing it.`;
  if (record === undefined && !isEdited)
    return `${named} was left as it is: the call does not say which file it is about.`;
  try {
    const isThere = part.type === 'add' && (await stateInWorkspace(workspace, path)) !== 'absent';
    const folders = isThere ? await emptiedFolders(workspace, path, removed, signal) : [];
    if (folders === undefined) return conflict;
    const now = part.type === 'add' ? undefined : await workspace.read(path, { signal, maxBytes: MAX_FILE });
    if (record !== undefined && record.before !== (now && digestOf(now.bytes))) return conflict;
    if (record?.mode !== undefined && record.mode !== (now && modeText(now.mode))) return conflict;
    if (part.type === 'delete') return [{ type: 'remove', path }];
    const content = contentOf(part, record, now?.bytes);
    if (record?.after !== undefined && digestOf(content) !== record.after) {
      if (!isEdited) return `${named} was left as it is: the patch does not produce the file that was shown.`;
      if (content.includes('[redacted]'))
        return `${named} was left as it is: a part of its new text was redacted when the call was kept.`;
    }
    const mode = record?.newMode === undefined ? now?.mode : Number.parseInt(record.newMode, 8);
    const ifVersion = now?.version ?? 'absent';
    return [
      ...folders.map((folder) => ({ type: 'remove', path: folder }) as const),
      { type: 'write', path, content, ifVersion, ...(mode !== undefined && { mode }) },
    ];
  } catch (error) {
    signal.throwIfAborted();
    if ((await stateInWorkspace(workspace, path)) === 'absent') return conflict;
    return KernelError.is(error) ? error.message : `${named} was left as it is: ${errorMessage(error)}`;
  }
}

/** Returns the new content, with the line breaks of the record if it has as many lines, else those of the file. */
function contentOf(part: FilePatch, record: FileRecord | undefined, bytes: Uint8Array | undefined): string {
  const before = bytes && decodeExactly(bytes);
  const lines = linesAfter(before, part);
  const written = record?.lineBreaks && withLineBreaks(lines, record.lineBreaks);
  return written ?? withBreaksOf(before, lines);
}
