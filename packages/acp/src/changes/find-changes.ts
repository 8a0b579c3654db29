import { join } from 'node:path';
import { setImmediate as afterEvents } from 'node:timers/promises';
import { attempt } from '@kernel/internal';
import { stateOnDisk, type WorkspaceCopy } from '../copy/copy-workspace.ts';
import { isFolder, pathPrefixes } from '../copy/path-within.ts';
import { MAX_FILE, readRegularFile } from '../copy/read-file.ts';
import { createSkippedFiles, type SkippedFiles } from '../copy/skipped-files.ts';
import { emptiedFolders, isAllowed, stateInWorkspace, supportsPath } from '../copy/workspace-state.ts';
import type { AgentWorkspace } from '../options.ts';
import { type ChangesCall, digestOf, type FileRecord, modeText } from './file-record.ts';
import { filesIn, isGone, isSkipped, NOT_TEXT } from './files-in-copy.ts';
import { decodeExactly, lineBreaksOf, linesOf, withBreaksOf } from './lines.ts';
import { joinPatch } from './read-patch.ts';
import { writePart } from './write-part.ts';

/** What an agent changed in its copy. */
interface Changes {
  /** The arguments of the call that brings back what can be; undefined if there is nothing. */
  readonly call: ChangesCall | undefined;
  /** What cannot be brought back, in sentences that name it. */
  readonly skipped: readonly string[];
}

interface PatchPart {
  readonly part: string;
  readonly record: FileRecord;
}

/** A change that can be brought back, or why it cannot; undefined if there is none. */
type Found = PatchPart | string | undefined;

/** What `apply_patch` takes, and what a person can be shown: the characters of a call. */
const MAX_CALL = 4_000_000;
/** Beyond it, a diff takes seconds. */
const MAX_LINES = 200_000;

const UNREADABLE = 'Not looked at, because it cannot be read';
const NOT_ALLOWED = 'Not brought back, because the rules do not allow writing it';
const CONFLICT = 'Not brought back, because it has changed in the workspace meanwhile';
const ODD_NAME = 'Not brought back, because its name cannot be written in a diff';
const TOO_LONG = `Not brought back, because a diff of more than ${MAX_CALL} characters cannot be shown`;
const TOO_MANY_LINES = `Not brought back, because it has more than ${MAX_LINES} lines`;
const IN_PLACE = 'Not brought back, because a folder or a link is in its place';
const HALF =
  "Not brought back, because a file and a folder take each other's place, and not all of that can be brought back";
const HOLDS_SECRET = 'Not brought back, because it holds a value that was given to the agent in env';

interface Finding {
  readonly workspace: AgentWorkspace;
  readonly copy: WorkspaceCopy;
  readonly signal: AbortSignal;
  /** Whether a text holds what is to stay with the agent. */
  readonly holdsSecret: (text: string) => boolean;
}

/** Compares a copy with what was copied, and with the workspace as it is now. */
export async function findChanges(finding: Finding): Promise<Changes> {
  const { copy, signal } = finding;
  const skipped = createSkippedFiles();
  const changes: PatchPart[] = [];
  const { files, links } = await filesIn(copy, skipped, signal);
  const removed = new Set<string>();
  const add = (found: Found, path: string): void => {
    signal.throwIfAborted();
    if (typeof found === 'string') skipped.add(found, path);
    else if (found !== undefined) changes.push(found);
  };
  for (const path of copy.files.keys()) {
    if (files.has(path) || isSkipped(path)) continue;
    const found = await removalOf(finding, path, links);
    if (typeof found === 'object') removed.add(path);
    add(found, path);
  }
  for (const path of [...files].toSorted()) add(await changeOf(finding, path, removed), path);
  const fitting = withoutTooLong(changes, skipped);
  const sorted = fitting.toSorted((one, other) => (one.record.path < other.record.path ? -1 : 1));
  const shown = await withoutHalves(sorted, copy, skipped);
  const patch = joinPatch(shown.map(({ part }) => part));
  const sentences = skipped.sentences();
  const call = {
    patch,
    patchDigest: digestOf(patch),
    files: shown.map(({ record }) => record),
    ...(sentences.length > 0 && { skipped: sentences }),
  };
  return { call: shown.length === 0 ? undefined : call, skipped: sentences };
}

/** Skips the longest changes that cannot be shown together, so that one large file takes no other with it. */
function withoutTooLong(changes: readonly PatchPart[], skipped: SkippedFiles): readonly PatchPart[] {
  let length = 1000;
  return (
    changes
      // As it stands in the call, where a control character takes six.
      .map((change) => ({ change, size: JSON.stringify(change).length }))
      .toSorted((one, other) => one.size - other.size)
      .flatMap(({ change, size }) => {
        length += size;
        if (length <= MAX_CALL) return [change];
        skipped.add(TOO_LONG, change.record.path);
        return [];
      })
  );
}

/**
 * Skips what is left of a file and a folder that take each other's place where a part of that is skipped: half of it would lose what the other half holds. A folder of
 * which nothing is brought back, such as one of installed packages, takes no place either.
 */
async function withoutHalves(
  changes: readonly PatchPart[],
  copy: WorkspaceCopy,
  skipped: SkippedFiles,
): Promise<readonly PatchPart[]> {
  const known = new Set([...changes.map(({ record }) => record.path), ...skipped.paths()]);
  const topOf = (path: string): string => pathPrefixes(path).find((each) => known.has(each)) ?? path;
  const halves = new Set([...skipped.paths()].map(topOf));
  const folders = new Set(changes.flatMap(({ record }) => pathPrefixes(record.path).slice(0, -1)));
  const whole: PatchPart[] = [];
  for (const change of changes) {
    const { path, after } = change.record;
    const isHalf =
      halves.has(topOf(path)) ||
      (after === undefined && !folders.has(path) && (await isFolder(join(copy.folder, path))));
    if (isHalf) skipped.add(HALF, path);
    else whole.push(change);
  }
  return whole;
}

async function removalOf({ workspace, copy }: Finding, path: string, links: ReadonlySet<string>): Promise<Found> {
  // A link in its place, or in that of its folder, is named as one.
  if (pathPrefixes(path).some((each) => links.has(each))) return undefined;
  if (!(await isGone(join(copy.folder, path)))) return UNREADABLE;
  const now = await stateInWorkspace(workspace, path);
  if (now === 'absent') return undefined;
  const refusal = refusalOf(workspace, path);
  if (refusal !== undefined) return refusal;
  if (now === 'other' || now.state !== copy.files.get(path)?.original) return CONFLICT;
  const before = await workspace.read(path).catch(() => undefined);
  if (before === undefined) return UNREADABLE;
  const record = { path, before: digestOf(before.bytes), mode: modeText(before.mode) };
  return { part: `*** Delete File: ${path}`, record };
}

async function changeOf(
  { workspace, copy, signal, holdsSecret }: Finding,
  path: string,
  removed: ReadonlySet<string>,
): Promise<Found> {
  const known = copy.files.get(path);
  const copied = join(copy.folder, path);
  if (known !== undefined && (await stateOnDisk(copied).catch(() => known.copied)) === known.copied) return undefined;
  const after = await readRegularFile(copied, path).catch(() => undefined);
  if (after === undefined) return NOT_TEXT;
  const now = await stateInWorkspace(workspace, path);
  const file = typeof now === 'string' ? undefined : now;
  const before = file && (await workspace.read(path, { signal, maxBytes: MAX_FILE }).catch(() => undefined));
  const isSameMode = before !== undefined && (before.mode & 0o111) === (after.mode & 0o111);
  if (isSameMode && Buffer.compare(before.bytes, after.bytes) === 0) return undefined;
  const refusal = refusalOf(workspace, path);
  if (refusal !== undefined) return refusal;
  if (file?.state !== known?.original) return CONFLICT;
  if (now === 'other' && (await emptiedFolders(workspace, path, removed, signal)) === undefined) return IN_PLACE;
  const text = textOf(after.bytes);
  const old = before && textOf(before.bytes);
  if (text === undefined || (file !== undefined && old === undefined)) return NOT_TEXT;
  if (known === undefined && holdsSecret(path)) return HOLDS_SECRET;
  if (holdsSecret(text) && !(old !== undefined && holdsSecret(old))) return HOLDS_SECRET;
  if ([old ?? '', text].some((each) => each.split('\n', MAX_LINES + 2).length > MAX_LINES + 1)) return TOO_MANY_LINES;
  const pause = async (): Promise<void> => {
    await afterEvents();
    signal.throwIfAborted();
  };
  const part = await writePart({ path, before: old, after: text }, { max: MAX_CALL, pause });
  if (part === undefined) return TOO_LONG;
  const record: FileRecord = {
    path,
    ...(before !== undefined && { before: digestOf(before.bytes), mode: modeText(before.mode) }),
    after: digestOf(after.bytes),
    ...(!isSameMode && { newMode: modeText(after.mode & 0o755) }),
    ...(withBreaksOf(old, linesOf(text)) !== text && { lineBreaks: lineBreaksOf(text) }),
  };
  return { part, record };
}

/** Decodes what a diff can show; undefined for other bytes. */
function textOf(bytes: Uint8Array): string | undefined {
  return bytes.includes(0) ? undefined : attempt(() => decodeExactly(bytes));
}

/** Says why a path cannot be written, or could be taken for something else in a patch. */
function refusalOf(workspace: AgentWorkspace, path: string): string | undefined {
  const isOdd = path !== path.trim() || /[\p{Cc}\p{Zl}\p{Zp}]/u.test(path) || !path.isWellFormed();
  if (isOdd || !supportsPath(workspace, path)) return ODD_NAME;
  return isAllowed(workspace, 'write', path) ? undefined : NOT_ALLOWED;
}
