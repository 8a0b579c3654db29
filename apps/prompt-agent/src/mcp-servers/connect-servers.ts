import { querySecrets } from '@kernel/internal';
import type { ConnectMcpOptions, McpSampling, McpToolset } from '@kernel/mcp';
import { KernelError, type Provider, type ToolWithHandler } from '@kernel/protocol';
import type { CommandCall } from '../command-call.ts';
import { usageError } from '../exit-code.ts';
import { oneLine } from '../output/escape.ts';
import { warnIfSlow } from '../output/output.ts';
import type { Flags } from '../options/flags.ts';
import { answerServers } from '../questions/answer-servers.ts';
import type { ServerAnswers } from '../questions/server-answers.ts';

interface ConnectSettings extends Pick<
  ConnectMcpOptions,
  'pins' | 'approveTools' | 'fetch' | 'connectTimeoutMs' | 'showsApps'
> {
  /** Begins the messages of errors: the flag or the command that names the servers. */
  readonly what: string;
  /** Whether a server that cannot be used is left out, with a warning, in place of ending the program. */
  readonly isLeftOut?: boolean;
  /** The model that the servers of `--sampling` may ask. Without it none may. */
  readonly model?: AskedModel | undefined;
}

/** A model that servers may ask. */
export interface AskedModel {
  readonly provider: Provider;
  readonly name: string;
  /** What a million tokens cost. */
  readonly prices: { readonly input: number; readonly output: number } | undefined;
}

/** Servers that were connected to. */
interface ConnectedServers {
  readonly toolset: McpToolset;
  /** The names of those that could be: to ask another one would connect to it once more. */
  readonly usable: readonly string[];
}

/** Two waits of this length, for the end of input and for SIGTERM, must fit into the second that Ctrl-C may take. */
const GRACE_MS = 200;

/** Connects to the servers of a config. What of it is missing is said; a server that cannot be used at all is a usage error. */
export async function connectServers(
  config: unknown,
  { flags, host, output, signal }: Pick<CommandCall, 'flags' | 'host' | 'output' | 'signal'>,
  { what, approveTools, model, isLeftOut = false, ...settings }: ConnectSettings,
): Promise<ConnectedServers> {
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
    const { approveSampling, ...elicitation } = host.answers ?? answerServers(host, output, model?.name);
    const mayAsk = samplingServers(flags, Object.keys(checked.mcpServers), model);
    const leftOut = new Set<string>();
    const toolset = await connectMcp(checked, {
      ...settings,
      signal,
      graceMs: GRACE_MS,
      trustHints: flags['trust-hints']?.filter((name) => name !== '') ?? [],
      ...elicitation,
      ...(mayAsk.length > 0 && model && { sampling: samplingOf(model, mayAsk, approveSampling, flags) }),
      ...(approveTools && {
        approveTools: (change) => {
          stopWarning();
          return approveTools(change);
        },
      }),
      onUnavailable(server, error) {
        // A server that cannot be used at all ends the program; what is missing of one that can be used is said.
        const isUnusable = error.data?.['tool'] === undefined && error.data?.['isPartial'] !== true;
        if (isUnusable && !isLeftOut) throw error;
        if (isUnusable) leftOut.add(server);
        const hint = error.hint === undefined ? '' : ` ${error.hint}`;
        output.note(`warning: ${oneLine(error.message + hint, 600)}`);
      },
    });
    const usable = Object.keys(checked.mcpServers).filter((name) => !leftOut.has(name));
    return { toolset, usable };
  } catch (error) {
    if (!KernelError.is(error)) throw error;
    throw usageError(`${what}: ${oneLine(error.message, 600)}${error.hint === undefined ? '' : ` ${error.hint}`}`);
  } finally {
    stopWarning();
  }
}

/** The tools with which a model reads what servers have; none if no server that is there has resources or prompts. */
export async function contentToolsOf(
  { toolset, usable }: ConnectedServers,
  signal: AbortSignal,
): Promise<readonly ToolWithHandler[]> {
  // A server that is disabled has nothing to read.
  const infos = await Promise.allSettled(usable.map(async (name) => toolset.serverInfo(name, { signal })));
  const isReadable = infos.some(
    (info) => info.status === 'fulfilled' && (info.value.hasResources || info.value.hasPrompts),
  );
  return isReadable ? toolset.contentTools() : [];
}

/** The servers of `--sampling` that are connected to. Throws a usage error for a name that is none of them. */
function samplingServers(
  { sampling = [] }: Flags,
  names: readonly string[],
  model: AskedModel | undefined,
): readonly string[] {
  const unknown = model && sampling.find((name) => !names.includes(name));
  if (unknown === undefined) return sampling;
  throw usageError(`--sampling: there is no server "${oneLine(unknown, 64)}"; there are ${names.join(', ')}.`);
}

/** Lets servers ask the model: each request is decided on, and what they use is limited. */
function samplingOf(
  { provider, name, prices }: AskedModel,
  servers: readonly string[],
  approve: ServerAnswers['approveSampling'],
  { 'max-cost': cost }: Flags,
): McpSampling {
  return {
    provider,
    model: name,
    approve: (request) => servers.includes(request.server) && approve(request),
    limits: prices === undefined ? {} : { price: prices, ...(cost !== undefined && { cost }) },
  };
}

/** What in the query of an address may be a secret. */
export function secretsIn(address: string): readonly string[] {
  const url = URL.parse(address);
  return url === null ? [] : querySecrets(url);
}
