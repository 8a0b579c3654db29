import { parseJson, isObject } from '@kernel/internal';
import {
  appendFileSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { codeOf, reasonOf, toolError } from '../errors.ts';
import { applyLine, type Entry, type JournalStore, type Line, type Step } from './journal.ts';

const KINDS: readonly Step['what'][] = [
  'created',
  'changed',
  'removed',
  'moved',
  'directory-made',
  'directory-removed',
  'link-removed',
];
const LOG = /^(\d{4,})\.jsonl$/;

export interface DiskStore extends JournalStore {
  /** The folder; undefined until something is kept in a folder of its own. */
  folder(): string | undefined;
}

/**
 * A store on disk: `<id>.jsonl` has the steps of a change, `<id>.<step>` the bytes that one replaced. Without a folder it makes one for the user alone
 * when it is first needed, in the user's state folder or, where that cannot be written, in that of temporary files.
 */
export function diskStore(given: string | undefined): DiskStore {
  // The rules that keep tools out of this folder compare real paths.
  let folder = given !== undefined && existsSync(given) ? realpathSync.native(given) : given;
  const at = (name: string): string => {
    folder ??= ownFolder();
    return join(folder, name);
  };
  const remove = (isOurs: (name: string) => boolean): void => {
    if (folder === undefined || !existsSync(folder)) return;
    for (const name of readdirSync(folder)) if (isOurs(name)) rmSync(join(folder, name), { force: true });
  };
  return {
    folder: () => folder,
    load: () => (folder === undefined || !existsSync(folder) ? [] : loadEntries(folder)),
    create: (id, time) => {
      try {
        mkdirSync(at('.'), { recursive: true, mode: 0o700 });
        folder = realpathSync.native(at('.'));
        closeSync(openSync(at(`${id}.jsonl`), 'wx', 0o600));
      } catch (error) {
        if (codeOf(error) === 'EEXIST') return false;
        throw toolError(`What is replaced cannot be kept for undo in "${folder}": ${reasonOf(error)}.`, error);
      }
      appendFileSync(at(`${id}.jsonl`), `${JSON.stringify({ at: time })}\n`);
      return true;
    },
    append: (id, line) => appendFileSync(at(`${id}.jsonl`), `${JSON.stringify(line)}\n`),
    keep: async (id, step, bytes) => {
      await writeFile(at(`${id}.${step}`), bytes, { mode: 0o600 }).catch((error: unknown) => {
        throw toolError(`What is replaced cannot be kept for undo: ${reasonOf(error)}.`, error);
      });
    },
    kept: (id, step) =>
      readFile(at(`${id}.${step}`)).catch((error: unknown) => {
        throw toolError(`What change ${id} replaced is not kept any more: ${reasonOf(error)}.`, error);
      }),
    setAside: (id) => {
      if (folder === undefined) return;
      for (const name of readdirSync(folder).filter((each) => each.startsWith(`${id}.`)))
        renameSync(join(folder, name), join(folder, `damaged-${name}`));
    },
    drop: (id) => remove((name) => name.startsWith(`${id}.`)),
    clear: () => {
      remove((name) => /^\d{4,}\.(?:jsonl|\d+)$/.test(name));
      if (given !== undefined || folder === undefined) return;
      rmSync(folder, { recursive: true, force: true });
      folder = undefined;
    },
  };
}

function ownFolder(): string {
  const parents = [join(homedir(), '.local', 'state', 'kernel-toolbox'), tmpdir()];
  for (const parent of parents) {
    try {
      mkdirSync(parent, { recursive: true, mode: 0o700 });
      return mkdtempSync(join(parent, 'undo-'));
    } catch {
      // The next one.
    }
  }
  throw toolError(
    `What is replaced cannot be kept for undo: none of ${parents.join(', ')} can be written. Pass "state.folder".`,
  );
}

function loadEntries(folder: string): readonly Entry[] {
  const ids = readdirSync(folder).flatMap((name) => LOG.exec(name)?.[1] ?? []);
  return ids
    .toSorted((a, b) => Number(a) - Number(b))
    .flatMap((id) => {
      const text = readFileSync(join(folder, `${id}.jsonl`), 'utf8');
      // A program that was ended may have left half of the last line: what it says was not done yet.
      const [head, ...lines] = text.split('\n').slice(0, -1);
      const at = Number(parseObject(head ?? '')?.['at']);
      const entry: Entry = { id, at: Number.isFinite(at) ? at : 0, bytes: 0, steps: [] };
      // A system that crashed may have filled what it did not get to write with NUL.
      const isBegun = head === undefined || Number.isFinite(at);
      const isWhole = isBegun && !text.includes('\0') && lines.every((line) => applyText(entry, line));
      if (!isWhole) return [{ ...entry, isDamaged: true as const }];
      return entry.steps.length === 0 ? [] : [entry];
    });
}

/** Adds a line of a log to an entry. Returns false for one that this program did not write: it cannot be used to undo anything. */
function applyText(entry: Entry, text: string): boolean {
  const line = toLine(parseObject(text) ?? {});
  if (line !== undefined) applyLine(entry, line);
  return line !== undefined;
}

function toLine(line: Readonly<Record<string, unknown>>): Line | undefined {
  const { after, bytes, index, step, type } = line;
  if (type === 'forget') return { type };
  if (type === 'done' && typeof index === 'number' && typeof after === 'string') return { type, index, after };
  if (type === 'step' && typeof bytes === 'number' && isObject(step)) {
    const { what, path } = step;
    const known = KINDS.find((kind) => kind === what);
    if (known !== undefined && typeof path === 'string') return { type, bytes, step: { ...step, what: known, path } };
  }
  return undefined;
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  const value = parseJson(text);
  return isObject(value) ? value : undefined;
}
