import { createHash } from 'node:crypto';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Host } from '../host.ts';
import { readText } from '../files/read-file.ts';
import { stateFolder } from './folders.ts';

/** The user's decisions on config files of projects. A decision holds for a path and a content: a file that changes is asked about again. */
export interface ProjectApprovals {
  /** Whether the file may be used; undefined if the user was not asked about this content yet. */
  find(path: string, text: string): boolean | undefined;
  /** Keeps a decision, in a file that only the user can read. */
  save(path: string, text: string, isAllowed: boolean): Promise<void>;
}

interface Decision {
  readonly sha256: string;
  readonly allowed: boolean;
}

const FILE = 'project-configs.json';

/** Loads the decisions. A file that is missing or damaged counts as empty: the user is asked again. */
export async function loadProjectApprovals(host: Pick<Host, 'env' | 'home'>): Promise<ProjectApprovals> {
  const folder = stateFolder(host);
  const path = join(folder, FILE);
  const decisions = parse(await readText(path, 'The list of approved configs').catch(() => undefined));
  return {
    find(file, text) {
      const decision = decisions.get(file);
      return decision?.sha256 === digest(text) ? decision.allowed : undefined;
    },
    async save(file, text, allowed) {
      decisions.set(file, { sha256: digest(text), allowed });
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const next = `${path}.${process.pid}`;
      await writeFile(next, `${JSON.stringify(Object.fromEntries(decisions), undefined, 2)}\n`, { mode: 0o600 });
      await rename(next, path);
    },
  };
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function parse(text: string | undefined): Map<string, Decision> {
  const decisions = new Map<string, Decision>();
  let json: unknown;
  try {
    json = JSON.parse(text ?? '{}');
  } catch {
    return decisions;
  }
  if (typeof json !== 'object' || json === null) return decisions;
  for (const [path, value] of Object.entries(json)) if (isDecision(value)) decisions.set(path, value);
  return decisions;
}

function isDecision(value: unknown): value is Decision {
  if (typeof value !== 'object' || value === null || !('sha256' in value) || !('allowed' in value)) return false;
  return typeof value.sha256 === 'string' && typeof value.allowed === 'boolean';
}
