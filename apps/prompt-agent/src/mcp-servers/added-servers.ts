import type { McpContents, McpToolset } from '@kernel/mcp';
import type { CommandCall } from '../command-call.ts';
import { connectServers } from './connect-servers.ts';
import { mayHaveServers } from './server-files.ts';
import { fetchFor } from './sign-ins.ts';
import { configOf, usableServers } from './usable-servers.ts';

/** The servers that were added, each connected to when something of it is wanted. */
export interface AddedServers {
  readonly names: readonly string[];
  /** What a server has beside its tools. Connects at the first use; after a failure it is tried again. */
  contents(name: string): Promise<McpContents>;
  close(): Promise<void>;
}

/** Opens the servers that were added. `connected` are those whose tools are in use: they are not connected to once more. */
export async function openAddedServers(
  call: Pick<CommandCall, 'flags' | 'host' | 'output' | 'signal'>,
  ...connected: readonly { readonly toolset?: McpToolset; readonly added?: readonly string[] }[]
): Promise<AddedServers> {
  const servers = mayHaveServers(call.host) ? await usableServers(call) : [];
  const stop = new AbortController();
  const signal = AbortSignal.any([call.signal, stop.signal]);
  const open = new Map<string, Promise<McpToolset>>();
  const connect = async (name: string): Promise<McpToolset> => {
    const chosen = servers.filter((server) => server.name === name);
    const { 'trust-hints': _none, ...flags } = call.flags;
    const { toolset } = await connectServers(
      configOf(chosen, call.host),
      { ...call, flags, signal },
      {
        what: `mcp ${name}`,
        fetch: await fetchFor(chosen, call),
      },
    );
    return toolset;
  };
  return {
    names: [...new Set([...servers.map(({ name }) => name), ...connected.flatMap(({ added = [] }) => added)])],
    async contents(name) {
      const inUse = connected.find(({ added }) => added?.includes(name) === true)?.toolset;
      if (inUse !== undefined) return inUse;
      const opening = open.get(name) ?? connect(name);
      open.set(name, opening);
      return opening.catch((error: unknown) => {
        open.delete(name);
        throw error;
      });
    },
    async close() {
      stop.abort(new Error('closed'));
      await Promise.all(
        [...open.values()].map((opening) =>
          opening.then(
            (toolset) => toolset.close(),
            () => undefined,
          ),
        ),
      );
    },
  };
}
