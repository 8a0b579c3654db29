import { findOnPath } from '@kernel/internal';
import { checkChoice, checkKeys, KernelError, optionKeys, type ToolWithHandler } from '@kernel/protocol';
import type { CommandOptions } from '../commands/command-options.ts';
import { commandTools } from '../commands/command-tools.ts';
import { fetchUrlTool, type FetchUrlOptions } from '../web/fetch-url.ts';
import type { SearchEngine } from '../web/search/types.ts';
import { webSearchTool } from '../web/search/web-search.ts';
import type { Workspace } from '../workspace/index.ts';
import { filesFor, modeRules } from './mode-rules.ts';
import { projectCommands, type ProjectCommands } from './project-commands.ts';
import type { AgentSetup, AgentMode } from './types.ts';

/** Options of `codeAgent`. */
export interface CodeAgentOptions {
  /** The project. `act` needs rules that allow writing. */
  readonly workspace: Workspace;
  /** What the agent may do. Default `act`. */
  readonly mode?: AgentMode | undefined;
  /** How commands run; false for no commands. Default: isolated with what the system offers. A workspace that is not on disk has no commands. */
  readonly commands?: Omit<CommandOptions, 'workspace'> | false | undefined;
  /** How web pages are loaded; false to load none. Default: from public addresses only. */
  readonly fetch?: FetchUrlOptions | false | undefined;
  /** What the web is searched with. Default: it is not. */
  readonly search?: SearchEngine | undefined;
  /** Aborts the inspection of the project. */
  readonly signal?: AbortSignal | undefined;
}

const KEYS = optionKeys<CodeAgentOptions>({
  workspace: true,
  mode: true,
  commands: true,
  fetch: true,
  search: true,
  signal: true,
});

/**
 * Creates `code_agent`: the tools for work on a project, rules for its mode, and instructions with the commands of this project. Detects Git, the
 * test command and the formatter; runs nothing.
 *
 * @example
 * ```ts
 * import { codeAgent } from '@kernel/toolbox/agents';
 * import { createWorkspace } from '@kernel/toolbox/workspace';
 *
 * const workspace = await createWorkspace({ root: process.cwd() });
 * const { tools, rules, instructions } = await codeAgent({ workspace, mode: 'plan' });
 * ```
 */
export async function codeAgent(options: CodeAgentOptions): Promise<AgentSetup> {
  checkKeys('codeAgent', options, KEYS);
  checkChoice('codeAgent', 'mode', options.mode, ['read-only', 'plan', 'act']);
  const { workspace, mode = 'act', signal = new AbortController().signal } = options;
  if (mode === 'act' && !workspace.allows('write', 'a'))
    throw new KernelError('CONFIG_INVALID', 'codeAgent with mode "act" needs a workspace that may be written.', {
      hint: "Pass createWorkspace({ root, write: ['**'] }), or mode: 'plan'.",
    });
  const hasCommands = mode !== 'read-only' && options.commands !== false && workspace.folder !== undefined;
  const commands = hasCommands ? commandTools({ ...options.commands, workspace }) : undefined;
  const found = await projectCommands(workspace, signal);
  const web: readonly ToolWithHandler[] = [
    ...(options.fetch === false ? [] : [fetchUrlTool(options.fetch)]),
    ...(options.search === undefined ? [] : [webSearchTool(options.search)]),
  ];
  return {
    name: 'code_agent',
    description: 'Reads, changes and tests the code of a project.',
    instructions: instructionsFor(mode, found, hasCommands),
    tools: [...filesFor(workspace, mode), ...(commands?.tools ?? []), ...web],
    rules: modeRules(workspace, mode),
    missing: hasCommands ? missingOf(found, workspace.folder) : [],
    close: async () => commands?.close(),
  };
}

function instructionsFor(mode: AgentMode, { test, format }: ProjectCommands, hasCommands: boolean): string {
  const lines = [
    'You work on the project in the workspace. Paths are relative to it.',
    'Look before you change: find the code with search_text and glob, read what you are going to change, and follow the style that is there.',
  ];
  if (mode === 'act') {
    lines.push('Make the smallest change that does it, with edit_file; after a change read its diff.');
    if (hasCommands && test !== undefined)
      lines.push(`Run the tests after a change: ${JSON.stringify(test)}. Read what fails, and mend it.`);
    if (hasCommands && format !== undefined) lines.push(`Format what you changed: ${JSON.stringify(format)}.`);
  } else {
    lines.push('You cannot change anything. Say what you would change, file by file, and how you would check it.');
  }
  lines.push('At the end say in a few sentences what you did, what you checked, and what is left.');
  return lines.join('\n');
}

function missingOf({ test, format }: ProjectCommands, workspace: string | undefined): readonly string[] {
  const programs = ['git', test?.[0], format?.[0]].filter((name) => name !== undefined);
  const absent = [...new Set(programs)].filter((name) => findOnPath(name, { workspace }) === undefined);
  return [
    ...absent.map((name) => `There is no program "${name}" on the PATH.`),
    ...(test === undefined ? ['No command was found that runs the tests.'] : []),
    ...(format === undefined ? ['No command was found that formats the code.'] : []),
  ];
}
