import { errorMessage, isObject } from '@kernel/internal';
import { errorResult, KernelError, type ToolResult } from '@kernel/protocol';
import { pathPrefixes } from '../copy/path-within.ts';
import { isAllowed, stateInWorkspace } from '../copy/workspace-state.ts';
import type { AgentWorkspace, WorkspaceEdit } from '../options.ts';
import { emptiedFolders } from './emptied-folders.ts';
import { digestOf, type FileRecord, modeText, readRecords } from './file-record.ts';
import { withBreaksOf, withLineBreaks } from './lines.ts';
import { type FilePatch, linesAfter, readPatch } from './read-patch.ts';

const MAX_FILE = 64 * 1024 ** 2;
const MAX_TRIES = 3;

/**
 * Makes the changes of a call as one change of the workspace, each only to the state that the call is about. A part that does not fit any more is named and left,
 * and the others are applied. Of a patch that a person has edited, the words hold.
 */
export async function applyChanges(workspace: AgentWorkspace, json: string, signal: AbortSignal): Promise<ToolResult> {
  const parsed: unknown = JSON.parse(json);
  const { patch = '', patchDigest, files }: Readonly<Record<string, unknown>> = isObject(parsed) ? parsed : {};
  const text = typeof patch === 'string' ? patch : '';
  const isEdited = digestOf(text) !== patchDigest;
  const records = readRecords(files);
  const failed = new Map<string, string>();
  const applied: FilePatch[] = [];
  const ids: string[] = [];
  const units = atomicChangesOf(readPatch(text, isEdited));
  const planAtomic = async (unit: readonly FilePatch[]): Promise<AtomicChange | undefined> => {
    const removed = new Set(unit.flatMap(({ type, path }) => (type === 'delete' ? [path] : [])));
    const plans: WorkspaceEdit[] = [];
    for (const part of unit) {
      const record = records.get(part.path);
      // oxlint-disable-next-line no-await-in-loop -- one file at a time is held in memory twice
      const plan = await planOf(workspace, { part, record, removed, isEdited, signal });
      if (typeof plan === 'string') return failAtomic(unit, part.path, plan);
      plans.push(...plan);
    }
    return { parts: unit, edits: plans };
  };
  const failAtomic = (unit: readonly FilePatch[], path: string, problem: string): undefined => {
    for (const part of unit) failed.set(part.path, part.path === path ? problem : leftBecauseOf(part.path, path));
  };
  const planAll = async (): Promise<readonly AtomicChange[]> => {
    const planned: AtomicChange[] = [];
    for (const unit of units) {
      if (unit.some(({ path }) => failed.has(path))) continue;
      // oxlint-disable-next-line no-await-in-loop -- as above
      const plan = await planAtomic(unit);
      if (plan !== undefined) planned.push(plan);
    }
    return planned;
  };
  const apply = async (some: readonly AtomicChange[]): Promise<string | undefined> => {
    try {
      const { id } = await workspace.apply(
        some.flatMap(({ edits }) => edits),
        { signal },
      );
      ids.push(id);
      applied.push(...some.flatMap(({ parts }) => parts));
      return undefined;
    } catch (error) {
      signal.throwIfAborted();
      return errorMessage(error);
    }
  };
  let planned = await planAll();
  for (let tries = 1; planned.length > 0; tries += 1) {
    // oxlint-disable-next-line no-await-in-loop -- again without what does not fit any more
    if ((await apply(planned)) === undefined) break;
    const count = failed.size;
    // oxlint-disable-next-line no-await-in-loop -- as above
    planned = await planAll();
    if (failed.size > count && tries < MAX_TRIES) continue;
    for (const unit of planned) {
      // oxlint-disable-next-line no-await-in-loop -- each by itself, so that one that fails takes no other with it
      const problem = await apply([unit]);
      if (problem === undefined) continue;
      for (const { path } of unit.parts) failed.set(path, `${JSON.stringify(path)} was left as it is: ${problem}`);
    }
    break;
  }
  const problems = [...failed.values()];
  if (applied.length === 0) return errorResult(`Nothing was changed. ${problems.join(' ')}`.trim());
  const sorted = applied.toSorted((one, other) => (one.path < other.path ? -1 : 1));
  const lines = sorted.map(({ type, path }) => `${LETTERS[type]} ${JSON.stringify(path)}`);
  const done = `Done (change${ids.length > 1 ? 's' : ''} ${ids.join(', ')}):`;
  return { forLLM: [done, ...lines, ...problems].join('\n'), forUser: text };
}

const LETTERS = { add: 'A', update: 'M', delete: 'D' } as const;

/** Parts of a patch that are made together or not at all, and what makes them. */
interface AtomicChange {
  readonly parts: readonly FilePatch[];
  readonly edits: readonly WorkspaceEdit[];
}

/** Puts those parts together where one is a file and the others are in the folder of its name, which takes its place or the other way round: removals first. */
function atomicChangesOf(parts: readonly FilePatch[]): readonly (readonly FilePatch[])[] {
  const paths = new Set(parts.map(({ path }) => path));
  const units = new Map<string, FilePatch[]>();
  for (const part of parts) {
    const top = pathPrefixes(part.path).find((each) => paths.has(each)) ?? part.path;
    const unit = units.get(top) ?? [];
    if (part.type === 'delete') unit.unshift(part);
    else unit.push(part);
    units.set(top, unit);
  }
  return [...units.values()];
}

function leftBecauseOf(path: string, other: string): string {
  return `${JSON.stringify(path)} was left as it is, as ${JSON.stringify(other)} was.`;
}

interface Planning {
  readonly part: FilePatch;
  readonly record: FileRecord | undefined;
  /** The files that are removed with it. */
  readonly removed: ReadonlySet<string>;
  readonly isEdited: boolean;
  readonly signal: AbortSignal;
}

/** What makes one part of a patch, or the sentence that says why it is not applied. */
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
    if (record !== undefined && (record.before === undefined) !== (now === undefined)) return conflict;
    if (record !== undefined && now !== undefined) {
      if (digestOf(now.bytes) !== record.before) return conflict;
      if (record.mode !== undefined && modeText(now.mode) !== record.mode) return conflict;
    }
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
