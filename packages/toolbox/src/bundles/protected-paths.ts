import type { PermissionRule } from '../permissions/types.ts';

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
  '.profile',
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
