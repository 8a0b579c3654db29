import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Host } from '../host.ts';
import type { Output } from '../output/output.ts';
import { stateFolder } from './folders.ts';
import { changeState, readState } from './state-file.ts';

/** The user's decisions on config files of projects. A decision holds for a path and a content: a file that changes is asked about again. */
export interface ProjectApprovals {
  /** Whether the file may be used; undefined if the user was not asked about this content yet. */
  find(path: string, text: string): boolean | undefined;
  /** Keeps a decision, in a file that only the user can read. */
  save(path: string, text: string, isAllowed: boolean): Promise<void>;
}

const FILE = 'project-configs.json';

/** Loads the decisions. A damaged file is told of on the output. */
export async function loadProjectApprovals(
  host: Pick<Host, 'env' | 'home'>,
  output?: Pick<Output, 'alert'>,
): Promise<ProjectApprovals> {
  const path = join(stateFolder(host), FILE);
  const state = await readState(path, async () => (await import('./state-schemas.ts')).decisionSchema);
  const decisions = state.entries;
  if (state.damage !== undefined) output?.alert(state.damage);
  return {
    find(file, text) {
      const decision = decisions.get(file);
      return decision?.sha256 === digest(text) ? decision.allowed : undefined;
    },
    async save(file, text, allowed) {
      const decision = { sha256: digest(text), allowed };
      decisions.set(file, decision);
      await changeState(path, (json) => ({ ...json, [file]: decision }));
    },
  };
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
