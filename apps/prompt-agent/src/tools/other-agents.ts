import { basename } from 'node:path';
import { acpAgent } from '@kernel/acp';
import type { ToolWithHandler } from '@kernel/protocol';
import { commandTools, type CommandOptions } from '@kernel/toolbox/commands';
import { createWorkspace, type Workspace } from '@kernel/toolbox/workspace';
import { createRegistry } from '@kernel/tools';
import type { Host } from '../host.ts';
import { fillVariables } from '../mcp-servers/fill-variables.ts';
import { splitCommand } from '../options/split-command.ts';

/** Programs that start the program named by their arguments. */
const LAUNCHERS = new Set([
  'npx',
  'bunx',
  'pnpm',
  'yarn',
  'npm',
  'node',
  'deno',
  'bun',
  'uvx',
  'uv',
  'pipx',
  'docker',
  'env',
]);
/** What their arguments may be besides that program. */
const WORDS = new Set(['exec', 'dlx', 'run', 'x', 'tool']);

/**
 * Makes the agents of `--agent-command` tools. A command is split into words as a shell does; words like `NAME=value` before it are variables of the agent, in which
 * `${NAME}` stands for one of ours. `commands` says how an agent's commands run in its copy; undefined if it gets no terminals.
 */
export function otherAgents(
  texts: readonly string[],
  host: Host,
  workspace: Workspace,
  commands: Pick<CommandOptions, 'isolation' | 'timeoutMs'> | undefined,
): readonly ToolWithHandler[] {
  return texts.map((text) => {
    const words = splitCommand(text, '--agent-command');
    const first = words.findIndex((word) => !/^[A-Za-z_]\w*=/.test(word));
    const [command = '', ...args] = first === -1 ? [] : words.slice(first);
    const variables = words.slice(0, first === -1 ? words.length : first).map((word): readonly [string, string] => {
      const at = word.indexOf('=');
      return [word.slice(0, at), word.slice(at + 1)];
    });
    const env = fillVariables(Object.fromEntries(variables), host.env, '--agent-command');
    return acpAgent({
      command,
      args,
      env,
      name: nameOf([command, ...args]),
      workspace,
      commands:
        commands &&
        (async (folder) => {
          const copy = await createWorkspace({ root: folder, write: ['**'] });
          const inCopy = commandTools({ ...commands, workspace: copy });
          return { tools: createRegistry(inCopy.tools), close: () => inCopy.close() };
        }),
    });
  });
}

/** The name of the tool of an agent: that of its program or package, without what starts it. */
function nameOf([program = '', ...args]: readonly string[]): string {
  const started = LAUNCHERS.has(plainName(program))
    ? args.find((word) => !word.startsWith('-') && !word.includes('=') && !WORDS.has(word))
    : undefined;
  return plainName(started ?? program) || 'agent';
}

/** The name of a program or package, without its folder or scope, its version and its ending. */
function plainName(word: string): string {
  const name = basename(word);
  const at = name.indexOf('@', 1);
  return (at === -1 ? name : name.slice(0, at))
    .replace(/\.(?:[cm]?[jt]s|exe|cmd|py|sh)$/, '')
    .replaceAll(/[^A-Za-z0-9_-]/g, '_');
}
