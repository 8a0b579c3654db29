import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { querySecrets } from '@kernel/internal';
import { KernelError, type Toolset } from '@kernel/protocol';
import type { ToolBinding } from '@kernel/tools';
import type { Host } from '../host.ts';
import { oneLine } from '../output/escape.ts';
import type { Output } from '../output/output.ts';
import { warnIfSlow } from '../output/warn-if-slow.ts';
import { usageError } from '../usage-error.ts';
import { readMcpFile } from './mcp-file.ts';
import { loadModuleTools } from './module-tools.ts';
import { loadServerPins } from './server-pins.ts';
import { splitCommand } from './split-command.ts';

/** The tools that `--tools` adds. */
export interface AddedTools {
  /** The tools of a module. */
  readonly bindings: readonly ToolBinding[];
  /** The tools of MCP servers. */
  readonly toolset?: Toolset;
  /** Stops the servers that were started. */
  close(): Promise<void>;
}

/** What `loadAddedTools` needs. */
export interface AddedToolsOptions {
  /** The value of `--tools`. */
  readonly given: string;
  /** The servers whose hints about effects are believed. */
  readonly trustHints: readonly string[];
  /** Where the program runs. */
  readonly host: Host;
  /** Where questions about changed tools are shown. */
  readonly output: Output;
  /** Aborts the connecting. */
  readonly signal: AbortSignal;
}

/** The prefix for the tools of a server without a name. */
const NAME = 'mcp';
/** Two waits of this length, for the end of input and for SIGTERM, must fit into the second that Ctrl-C may take. */
const GRACE_MS = 200;

/**
 * Loads what `--tools` names: the address of an MCP server, a `.json` file of `mcpServers`, a module of tools (`.js`, `.ts` and the like), or
 * the command of an MCP server. Tools of a server that differ from those of its last use are asked about. The path of a file counts as one
 * word, even with spaces. Throws a usage error that names the flag.
 */
export async function loadAddedTools(options: AddedToolsOptions): Promise<AddedTools> {
  const { given, host } = options;
  const connect = (config: unknown): Promise<AddedTools> => connectServers(config, options);
  if (/^https?:\/\//i.test(given)) {
    if (secretsIn(given).length > 0)
      options.output.note(
        'warning: the query of --tools can be seen by other users of this machine (ps); a .json file with ${NAME} in its "url" cannot',
      );
    return connect({ mcpServers: { [NAME]: { url: given } } });
  }
  const isFile = isFileAt(resolve(host.cwd, given));
  const isWord = isFile || !/\s/.test(given);
  if (isWord && given.endsWith('.json')) return connect(await readMcpFile(given, host));
  if (isWord && /\.[cm]?[jt]s$/.test(given))
    return { bindings: await loadModuleTools(given, host.cwd), close: () => Promise.resolve() };
  // As in a shell, a name without a slash does not mean a program in this folder.
  const [command = '', ...args] = isFile && given.includes('/') ? [given] : splitCommand(given);
  return connect({ mcpServers: { [NAME]: { command, args, cwd: host.cwd } } });
}

function secretsIn(address: string): readonly string[] {
  const url = URL.parse(address);
  return url === null ? [] : querySecrets(url);
}

function isFileAt(path: string): boolean {
  return existsSync(path) && statSync(path).isFile();
}

async function connectServers(
  config: unknown,
  { given, host, output, signal, trustHints }: AddedToolsOptions,
): Promise<AddedTools> {
  const { connectMcp, toMcpConfig } = await import('@kernel/mcp');
  const pins = await loadServerPins(given, host, output);
  const stopWarning = warnIfSlow(output, 'the MCP servers of --tools to answer');
  try {
    const checked = toMcpConfig(config);
    for (const server of Object.values(checked.mcpServers))
      for (const secret of 'url' in server ? secretsIn(server.url) : []) output.hide(secret);
    const toolset = await connectMcp(checked, {
      signal,
      graceMs: GRACE_MS,
      trustHints,
      pins: pins.known,
      approveTools: (change) => {
        stopWarning();
        return pins.approve(change);
      },
      onUnavailable(_server, error) {
        // A server that cannot be used at all ends the program; what is missing of one that can be used is said.
        if (error.data?.['tool'] === undefined && error.data?.['isPartial'] !== true) throw error;
        output.note(`warning: ${oneLine(error.message, 600)}`);
      },
    });
    const close = async (): Promise<void> => {
      const last = toolset.pins();
      await toolset.close();
      if (JSON.stringify(last) !== JSON.stringify(pins.known)) await pins.save(last);
    };
    return { bindings: [], toolset, close };
  } catch (error) {
    if (!KernelError.is(error)) throw error;
    throw usageError(`--tools: ${oneLine(error.message, 600)}${error.hint === undefined ? '' : ` ${error.hint}`}`);
  } finally {
    stopWarning();
  }
}
