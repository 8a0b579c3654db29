import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { querySecrets } from '@kernel/internal';
import type { McpApps } from '@kernel/mcp';
import { KernelError, type Toolset } from '@kernel/protocol';
import type { ToolBinding } from '@kernel/tools';
import type { CommandCall } from '../command-call.ts';
import { usageError } from '../exit-code.ts';
import { parseJson, requireText } from '../files/read-file.ts';
import type { Host } from '../host.ts';
import { splitCommand } from '../options/split-command.ts';
import { oneLine } from '../output/escape.ts';
import { answerServers } from '../questions/answer-servers.ts';
import { warnIfSlow } from '../output/output.ts';
import { loadModuleTools } from './module-tools.ts';
import { loadServerPins } from './server-pins.ts';

export interface UserTools {
  readonly bindings: readonly ToolBinding[];
  readonly toolset?: Toolset;
  readonly apps?: McpApps;
  close(): Promise<void>;
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
export async function loadUserTools(given: string, call: CommandCall, showsApps: boolean): Promise<UserTools> {
  const { host, output } = call;
  const connect = (config: unknown): Promise<UserTools> => connectServers(config, given, call, showsApps);
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
  given: string,
  { flags, host, output, signal }: CommandCall,
  showsApps: boolean,
): Promise<UserTools> {
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
      showsApps,
      trustHints: flags['trust-hints']?.filter((name) => name !== '') ?? [],
      pins: pins.known,
      ...answerServers(host, output),
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
    return { bindings: [], toolset, apps: toolset.apps, close };
  } catch (error) {
    if (!KernelError.is(error)) throw error;
    throw usageError(`--tools: ${oneLine(error.message, 600)}${error.hint === undefined ? '' : ` ${error.hint}`}`);
  } finally {
    stopWarning();
  }
}

/**
 * Reads a file of `mcpServers`. `${NAME}`, `${env:NAME}` and `${NAME:-default}` in its strings stand for environment variables, so
 * that a token need not be in the file. Throws a usage error that names the file.
 */
async function readMcpFile(file: string, host: Pick<Host, 'cwd' | 'env'>): Promise<unknown> {
  const text = await requireText(resolve(host.cwd, file), '--tools', file);
  const fill = (value: string): string =>
    value.replaceAll(/\$\{([^}]{0,4096})\}/g, (whole, inside: string) => {
      const [, name, otherwise] = /^(?:env:)?(\w+)(?::-(.*))?$/s.exec(inside) ?? [];
      if (name === undefined)
        throw usageError(`--tools: "${file}" has ${whole}; write \${NAME}, \${env:NAME} or \${NAME:-default}.`);
      const found = host.env[name] ?? otherwise;
      if (found === undefined) throw usageError(`--tools: "${file}" uses the variable ${name}, which is not set.`);
      return found;
    });
  const { checkMcpFile } = await import('../config/file-schemas.ts');
  const json = checkMcpFile(file, parseJson(text, `--tools: "${file}"`));
  return fillTexts(json, fill);
}

function fillTexts(value: unknown, fill: (text: string) => string): unknown {
  if (typeof value === 'string') return fill(value);
  if (Array.isArray(value)) return value.map((part: unknown) => fillTexts(part, fill));
  if (typeof value !== 'object' || value === null) return value;
  if ('disabled' in value && value.disabled === true) return value; // its variables may be unset
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, fillTexts(part, fill)]));
}
