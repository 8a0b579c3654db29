import type { ToolImplementation } from '@kernel/protocol';
import { fileTools } from '../files/file-tools.ts';
import type { PermissionRule } from '../permissions/types.ts';
import type { Workspace } from '../workspace/index.ts';
import { PROTECTED_PATHS } from './protected-paths.ts';
import type { BundleMode } from './types.ts';

const READS = new Set(['read_file', 'list_directory', 'glob', 'search_text']);

/** Commands that look at a repository and change nothing. */
const READING_GIT: PermissionRule = {
  allow: 'run_command(git status|diff|log|show|blame|shortlog|describe|rev-parse|ls-files|grep *)',
};

/** What a mode allows without a question, and what it forbids. */
export function modeRules(mode: BundleMode): readonly PermissionRule[] {
  if (mode === 'act') return [READING_GIT, PROTECTED_PATHS];
  const changes: PermissionRule = { deny: 'write_file|edit_file|apply_patch|move|delete|undo' };
  return mode === 'plan' ? [changes, READING_GIT] : [changes, { deny: 'run_command' }];
}

/** The tools for files in a mode: all of them in `act`, otherwise those that read. */
export function filesFor(workspace: Workspace, mode: BundleMode): readonly ToolImplementation[] {
  return fileTools(workspace).filter(({ tool }) => mode === 'act' || READS.has(tool.name));
}
