import { querySecrets } from '@kernel/internal';
import type { ConnectMcpOptions, McpToolset } from '@kernel/mcp';
import { KernelError } from '@kernel/protocol';
import type { CommandCall } from '../command-call.ts';
import { usageError } from '../exit-code.ts';
import { oneLine } from '../output/escape.ts';
import { warnIfSlow } from '../output/output.ts';
import { answerServers } from '../questions/answer-servers.ts';

interface ConnectSettings extends Pick<ConnectMcpOptions, 'pins' | 'approveTools' | 'fetch' | 'connectTimeoutMs'> {
  /** Begins the messages of errors: the flag or the command that names the servers. */
  readonly what: string;
}

/** Two waits of this length, for the end of input and for SIGTERM, must fit into the second that Ctrl-C may take. */
const GRACE_MS = 200;

/** Connects to the servers of a config. What of it is missing is said; a server that cannot be used at all is a usage error. */
export async function connectServers(
  config: unknown,
  { flags, host, output, signal }: Pick<CommandCall, 'flags' | 'host' | 'output' | 'signal'>,
  { what, approveTools, ...settings }: ConnectSettings,
): Promise<McpToolset> {
  const { connectMcp, toMcpConfig } = await import('@kernel/mcp');
  // Who waits as long as a person may take says that itself.
  const stopWarning =
    settings.connectTimeoutMs === undefined
      ? warnIfSlow(output, `the MCP servers of ${what} to answer`)
      : () => undefined;
  try {
    const checked = toMcpConfig(config);
    for (const server of Object.values(checked.mcpServers))
      for (const secret of 'url' in server ? secretsIn(server.url) : []) output.hide(secret);
    return await connectMcp(checked, {
      ...settings,
      signal,
      graceMs: GRACE_MS,
      trustHints: flags['trust-hints']?.filter((name) => name !== '') ?? [],
      ...answerServers(host, output),
      ...(approveTools && {
        approveTools: (change) => {
          stopWarning();
          return approveTools(change);
        },
      }),
      onUnavailable(_server, error) {
        // A server that cannot be used at all ends the program; what is missing of one that can be used is said.
        if (error.data?.['tool'] === undefined && error.data?.['isPartial'] !== true) throw error;
        output.note(`warning: ${oneLine(error.message, 600)}`);
      },
    });
  } catch (error) {
    if (!KernelError.is(error)) throw error;
    throw usageError(`${what}: ${oneLine(error.message, 600)}${error.hint === undefined ? '' : ` ${error.hint}`}`);
  } finally {
    stopWarning();
  }
}

/** What in the query of an address may be a secret. */
export function secretsIn(address: string): readonly string[] {
  const url = URL.parse(address);
  return url === null ? [] : querySecrets(url);
}
