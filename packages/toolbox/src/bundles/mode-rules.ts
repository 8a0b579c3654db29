import type { ToolImplementation } from '@kernel/protocol';
import { fileTools } from '../files/file-tools.ts';
import type { PermissionRule } from '../permissions/types.ts';
import type { Workspace } from '../workspace/index.ts';
import { protectedPaths } from './protected-paths.ts';
import type { BundleMode } from './types.ts';

const READING_GIT: PermissionRule = {
  allow: 'run_command(git status|diff|log|show|blame|shortlog|describe|rev-parse|ls-files|grep *)',
};

export function modeRules(workspace: Workspace, mode: BundleMode): readonly PermissionRule[] {
  const changing = changingTools(workspace);
  if (mode === 'act') return [READING_GIT, protectedPaths(changing)];
  const changes: PermissionRule = { deny: changing.join('|') };
  return mode === 'plan' ? [changes, READING_GIT] : [changes, { deny: 'run_command' }];
}

export function filesFor(workspace: Workspace, mode: BundleMode): readonly ToolImplementation[] {
  return fileTools(workspace).filter(({ tool }) => mode === 'act' || tool.effect === 'read');
}

export function changingTools(workspace: Workspace): readonly string[] {
  return fileTools(workspace).flatMap(({ tool }) => (tool.effect === 'read' ? [] : [tool.name]));
}
