import type { ToolWithHandler } from '@kernel/protocol';
import { fileTools } from '../files/file-tools.ts';
import type { PermissionRule } from '../permissions/types.ts';
import type { Workspace } from '../workspace/index.ts';
import type { AgentMode } from './types.ts';

const NAMES_OF_CHANGES = '--stat|--shortstat|--numstat|--name-only|--name-status';

/** The forms of Git that print names and messages. What prints the content of files would print that of an `.env` as well. */
const READING_GIT: readonly PermissionRule[] = [
  'git status|log|shortlog|describe|rev-parse|ls-files *',
  `git diff ${NAMES_OF_CHANGES}`,
  `git diff --cached|--staged ${NAMES_OF_CHANGES}`,
].map((pattern) => ({ allow: `run_command(${pattern})` }));

export function modeRules(workspace: Workspace, mode: AgentMode): readonly PermissionRule[] {
  const changing = changingTools(workspace);
  if (mode === 'act') return [...READING_GIT, protectedPaths(changing)];
  const changes: PermissionRule = { deny: changing.join('|') };
  return mode === 'plan' ? [changes, ...READING_GIT] : [changes, { deny: 'run_command' }];
}

export function filesFor(workspace: Workspace, mode: AgentMode): readonly ToolWithHandler[] {
  return fileTools(workspace).filter(({ tool }) => mode === 'act' || tool.effect === 'read');
}

export function changingTools(workspace: Workspace): readonly string[] {
  return fileTools(workspace).flatMap(({ tool }) => (tool.effect === 'read' ? [] : [tool.name]));
}

/** Folders and files by which a later command, editor, shell or agent runs something, or is set up. */
const PROTECTED = [
  '.git',
  '.vscode',
  '.idea',
  '.husky',
  '.claude',
  '.gitconfig',
  '.gitmodules',
  '.bashrc',
  '.bash_profile',
  '.bash_login',
  '.bash_logout',
  '.zshrc',
  '.zshenv',
  '.zprofile',
  '.zlogin',
  '.zlogout',
  '.profile',
  '.kshrc',
  '.mkshrc',
  '.cshrc',
  '.tcshrc',
  '.login',
  '.logout',
  '.bash_aliases',
  '.inputrc',
  '.xonshrc',
  '.config/fish',
  '.config/nushell',
  '.config/elvish',
  '.config/powershell',
  '.ripgreprc',
  '.mcp.json',
  '.claude.json',
];

/**
 * Asks before one of `tools` changes what runs or sets up other programs: `.git`, `.vscode`, hooks, start files of shells. A rule that asks goes before every
 * rule that allows, so that `edit_file(**)` does not cover them. What may hold credentials, such as `.envrc` and `.npmrc`, no tool for files opens.
 */
export function protectedPaths(tools: readonly string[]): PermissionRule {
  return { ask: `${tools.join('|')}(${PROTECTED.map((path) => `**/${path}/**`).join('|')})` };
}
