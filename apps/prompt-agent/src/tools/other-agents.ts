import { basename } from 'node:path';
import { acpAgent } from '@kernel/acp';
import { errorMessage, sliceHead } from '@kernel/internal';
import type { ToolWithHandler } from '@kernel/protocol';
import { commandTools, type CommandOptions } from '@kernel/toolbox/commands';
import { createWorkspace, type Workspace } from '@kernel/toolbox/workspace';
import { createRegistry } from '@kernel/tools';
import { usageError } from '../exit-code.ts';
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
/** Words of the launchers themselves, such as `exec` in `pnpm exec`. */
const LAUNCHER_WORDS = new Set(['exec', 'dlx', 'run', 'x', 'tool']);
const FLAG = '--agent-command';
/** Names of tools have 64 characters at most: there is room for a number. */
const MAX_NAME = 50;

interface CopyCommands extends Pick<CommandOptions, 'isolation' | 'timeoutMs'> {
  /** Wraps each tool. */
  readonly wrap: (binding: ToolWithHandler) => ToolWithHandler;
}

/** What the agents are made with. */
interface AgentsUse {
  readonly host: Host;
  readonly workspace: Workspace;
  /** How an agent's commands run in its copy; undefined if it gets no terminals. */
  readonly commands: CopyCommands | undefined;
  /** The names of other tools. */
  readonly taken: ReadonlySet<string>;
}

/**
 * Makes the agents of `--agent-command` tools. A command is split into words as a shell does; words like `NAME=value` before it are variables of the agent, in which
 * `${NAME}` stands for one of ours. A name that is taken gets a number.
 */
export function otherAgents(
  texts: readonly string[],
  { host, workspace, commands, taken }: AgentsUse,
): readonly ToolWithHandler[] {
  const names = new Set(taken);
  return texts.map((text) => {
    const words = splitCommand(text, FLAG);
    const first = words.findIndex((word) => !/^[A-Za-z_]\w*=/.test(word));
    const [command = '', ...args] = first === -1 ? [] : words.slice(first);
    if (command === '')
      throw usageError(
        `${FLAG} ${JSON.stringify(text)} names no program. Write it as ${FLAG} 'NAME=value program argument'.`,
      );
    const variables = words.slice(0, first).map((word): readonly [string, string] => {
      const at = word.indexOf('=');
      return [word.slice(0, at), word.slice(at + 1)];
    });
    const env = fillVariables(Object.fromEntries(variables), host.env, FLAG);
    const name = freeName(nameOf([command, ...args]), names);
    names.add(name);
    try {
      return acpAgent({ command, args, env, name, workspace, commands: commands && inCopy(commands) });
    } catch (error) {
      throw usageError(`${FLAG}: ${errorMessage(error)}`);
    }
  });
}

/** Creates the tools that run an agent's commands in its copy. */
function inCopy({ wrap, ...commands }: CopyCommands) {
  return async (folder: string) => {
    const copy = await createWorkspace({ root: folder, write: ['**'] });
    const tools = commandTools({ ...commands, workspace: copy });
    return { tools: createRegistry(tools.tools.map(wrap)), close: () => tools.close() };
  };
}

/** The first of `name`, `name_2`, `name_3` and so on that no other tool has. */
function freeName(name: string, taken: ReadonlySet<string>): string {
  let free = name;
  for (let count = 2; taken.has(free); count += 1) free = `${name}_${count}`;
  return free;
}

/** The name of the tool of an agent: that of its program or package, without what starts it. */
function nameOf([program = '', ...args]: readonly string[]): string {
  const started = LAUNCHERS.has(plainName(program)) ? args.find((word) => isProgram(word)) : undefined;
  return plainName(started ?? program) || 'agent';
}

/** Whether an argument of a launcher could be the program: no option, no variable, no folder that is shared (`/a:/b`), and none of its own words. */
function isProgram(word: string): boolean {
  return !word.startsWith('-') && !word.includes('=') && !/^[./].*:/.test(word) && !LAUNCHER_WORDS.has(word);
}

/** The name of a program or package, without its folder or scope, its version and its ending. It begins with a letter, as names of tools do. */
function plainName(word: string): string {
  const name = basename(word);
  const version = name.slice(1).search(/[@:]/);
  const plain = (version === -1 ? name : name.slice(0, version + 1))
    .replace(/\.(?:[cm]?[jt]s|exe|cmd|py|sh)$/, '')
    .replaceAll(/[^A-Za-z0-9_-]/g, '_')
    .replace(/^[^A-Za-z]+/, '');
  return sliceHead(plain, MAX_NAME);
}
