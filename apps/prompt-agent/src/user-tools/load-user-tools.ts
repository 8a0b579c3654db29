import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { errorMessage, withoutQuery } from '@kernel/internal';
import type { McpApps, McpToolset } from '@kernel/mcp';
import type { ToolWithHandler } from '@kernel/protocol';
import type { ToolBinding } from '@kernel/tools';
import type { CommandCall } from '../command-call.ts';
import { usageError } from '../exit-code.ts';
import { parseJson, requireText } from '../files/read-file.ts';
import type { Host } from '../host.ts';
import { type AskedModel, connectServers, contentToolsOf, secretsIn } from '../mcp-servers/connect-servers.ts';
import { fillVariables } from '../mcp-servers/fill-variables.ts';
import { type AddedServer, isName } from '../mcp-servers/server-files.ts';
import { configOf, usableServers } from '../mcp-servers/usable-servers.ts';
import { splitCommand } from '../options/split-command.ts';
import { oneLine } from '../output/escape.ts';
import { loadModuleTools } from './module-tools.ts';
import { loadServerPins, pinKeyOf, type ServerPins } from './server-pins.ts';

/** Who uses the servers: the model that they may ask, and whether their apps are shown. */
export interface ServerUse {
  readonly model?: AskedModel | undefined;
  readonly showsApps?: boolean | undefined;
}

export interface UserTools {
  readonly bindings: readonly ToolBinding[];
  readonly toolset?: McpToolset;
  /** The servers of the toolset that were added, by their names. */
  readonly added?: readonly string[];
  readonly apps?: McpApps;
  /** What reads the resources and prompts of the servers, if they have any. */
  readonly contents?: readonly ToolWithHandler[];
  close(): Promise<void>;
}

/** The prefix for the tools of a server without a name. */
const NAME = 'mcp';
/**
 * Loads what `--tools` names: the address of an MCP server, a `.json` file of `mcpServers`, a module of tools (`.js`, `.ts` and the like), a server that was added,
 * or the command of an MCP server; without it all servers that were added. Tools of a server that differ from those of its last use are asked about. The path of a
 * file counts as one word, even with spaces. Throws a usage error that names the flag.
 */
export async function loadUserTools(
  given: string | undefined,
  call: CommandCall,
  use: ServerUse = {},
): Promise<UserTools> {
  const { host, output } = call;
  if (given === undefined) return loadAddedTools(await addedServers(call), call, use, false);
  const connect = (config: unknown): Promise<UserTools> => connectUserServers(config, given, call, use);
  if (/^https?:\/\//i.test(given)) {
    if (secretsIn(given).length > 0)
      output.note(
        'warning: the query of --tools can be seen by other users of this machine (ps); a .json file with ${NAME} in its "url" cannot',
      );
    return connect({ mcpServers: { [NAME]: { url: given } } });
  }
  const isFile = isFileAt(resolve(host.cwd, given));
  const isWord = isFile || !/\s/.test(given);
  if (isWord && given.endsWith('.json')) return connect(await readMcpFile(given, host));
  if (isWord && /\.[cm]?[jt]s$/.test(given))
    return { bindings: await loadModuleTools(given, host.cwd), close: () => Promise.resolve() };
  const [named] = isName(given) ? await usableServers(call, given) : [];
  if (named !== undefined) return loadAddedTools([named], call, use, true);
  // As in a shell, a name without a slash does not mean a program in this folder.
  const [command = '', ...args] = isFile && given.includes('/') ? [given] : splitCommand(given);
  return connect({ mcpServers: { [NAME]: { command, args, cwd: host.cwd } } });
}

async function addedServers(call: CommandCall): Promise<readonly AddedServer[]> {
  const servers = await usableServers(call);
  if (servers.length > 0) return working(servers, call);
  throw usageError(
    '--execute needs --tools, a module or an MCP server whose tools it runs, or servers that you have added: prompt-agent mcp add.',
  );
}

function isFileAt(path: string): boolean {
  return existsSync(path) && statSync(path).isFile();
}

/** The servers whose entries can be used; what is wrong with another one is said: one of many does not end the run. */
async function working(
  servers: readonly AddedServer[],
  { host, output }: CommandCall,
): Promise<readonly AddedServer[]> {
  const { toMcpConfig } = await import('@kernel/mcp');
  return servers.filter((server) => {
    try {
      toMcpConfig(configOf([server], host));
      return true;
    } catch (error) {
      output.note(`warning: ${oneLine(errorMessage(error), 600)}`);
      return false;
    }
  });
}

async function connectUserServers(
  config: unknown,
  given: string,
  call: CommandCall,
  use: ServerUse,
): Promise<UserTools> {
  // An address is kept without what stands in its query, which may be a key.
  const key = `${withoutQuery(given)} in ${call.host.cwd}`;
  const pins = await loadServerPins(() => key, call.host, call.output);
  const connected = await connectServers(config, call, {
    what: '--tools',
    ...use,
    pins: pins.known,
    approveTools: (change) => pins.approve(change),
  });
  const { toolset } = connected;
  const contents = await contentToolsOf(connected, call.signal);
  return { bindings: [], toolset, apps: toolset.apps, contents, close: () => closeServers(toolset, pins) };
}

/** Ends servers, and keeps what is known of their tools. */
async function closeServers(toolset: McpToolset, { known, save }: ServerPins): Promise<void> {
  const last = toolset.pins();
  await toolset.close();
  if (JSON.stringify(last) !== JSON.stringify(known)) await save(last);
}

/** Reads a file of `mcpServers`, with variables of the environment. Throws a usage error that names the file. */
async function readMcpFile(file: string, host: Pick<Host, 'cwd' | 'env'>): Promise<unknown> {
  const what = `--tools: "${file}"`;
  const text = await requireText(resolve(host.cwd, file), '--tools', file);
  const { checkMcpFile } = await import('../config/file-schemas.ts');
  return fillVariables(checkMcpFile(what, parseJson(text, what)), host.env, what);
}

/**
 * Loads the servers that were added, or the one of a name, signed in as the user has: at their first use their tools are those that they have; later changes are asked
 * about.
 */
async function loadAddedTools(
  servers: readonly AddedServer[],
  call: CommandCall,
  use: ServerUse,
  isNamed: boolean,
): Promise<UserTools> {
  const { host, output } = call;
  const keys = new Map(servers.map((server) => [server.name, pinKeyOf(server)]));
  const pins = await loadServerPins((name) => keys.get(name) ?? name, host, output, true);
  const { fetchFor } = await import('../mcp-servers/sign-ins.ts');
  const connected = await connectServers(configOf(servers, host), call, {
    what: isNamed ? `mcp ${servers[0]?.name}` : 'mcp',
    isLeftOut: !isNamed,
    ...use,
    pins: pins.known ?? {},
    approveTools: (change) => pins.approve(change),
    fetch: await fetchFor(servers, call),
  });
  const close = (): Promise<void> => closeServers(toolset, pins);
  const added = [...keys.keys()];
  const { toolset } = connected;
  const contents = await contentToolsOf(connected, call.signal);
  return { bindings: [], toolset, apps: toolset.apps, contents, added, close };
}
