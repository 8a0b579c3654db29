import { type McpServer, RequestError } from '@agentclientprotocol/sdk/unstable';
import type { ServerEntry } from '../../mcp-servers/server-files.ts';
import type { EditorServers } from '../../user-tools/editor-servers.ts';

/** The MCP servers that an editor gives, as entries of `mcpServers`. Throws for a transport that cannot be used, and for names that are empty or given twice. */
export function toEditorServers(given: readonly McpServer[] = []): EditorServers {
  const servers = new Map<string, ServerEntry>();
  for (const server of given) {
    const { name } = server;
    if (name.trim() === '') throw RequestError.invalidParams(undefined, 'an MCP server has no name');
    if (servers.has(name))
      throw RequestError.invalidParams(undefined, `two MCP servers have the name ${JSON.stringify(name)}`);
    servers.set(name, entryOf(server));
  }
  return Object.fromEntries(servers);
}

function entryOf(server: McpServer): ServerEntry {
  if ('command' in server) return { command: server.command, args: server.args, env: namedValues(server.env) };
  if (server.type === 'http') return { url: server.url, headers: namedValues(server.headers) };
  throw RequestError.invalidParams(undefined, `MCP servers of the type ${JSON.stringify(server.type)} cannot be used`);
}

function namedValues(pairs: readonly { readonly name: string; readonly value: string }[]): Record<string, string> {
  return Object.fromEntries(pairs.map(({ name, value }) => [name, value]));
}
