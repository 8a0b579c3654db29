import { join } from 'node:path';
import { errorMessage, visible } from '@kernel/internal';
import type { CommandCall } from '../command-call.ts';
import { loadProjectApprovals } from '../config/project-file.ts';
import { connectServers, contentToolsOf } from '../mcp-servers/connect-servers.ts';
import { approvedContent } from '../mcp-servers/entry-paths.ts';
import type { ServerEntry } from '../mcp-servers/server-files.ts';
import { coverLines, serverLines } from '../mcp-servers/usable-servers.ts';
import { oneLine } from '../output/escape.ts';
import { decide } from '../questions/question.ts';
import type { ServerUse, UserTools } from './load-user-tools.ts';
import { loadServerPins } from './server-pins.ts';

/** MCP servers that an editor gives to a session, by their names. */
export type EditorServers = Readonly<Record<string, ServerEntry>>;

/**
 * Loads the tools of servers that an editor gives. What would be started or called is asked about once, by its content: a project's settings may have put it there. Tools
 * that differ from those of the last use are asked about. A server that is refused, or cannot be used, is left out with a note.
 */
export async function loadEditorServers(servers: EditorServers, call: CommandCall, use: ServerUse): Promise<UserTools> {
  const { host, output } = call;
  const approvals = await loadProjectApprovals(host, output);
  const used: [string, ServerEntry][] = [];
  for (const [name, entry] of Object.entries(servers)) {
    const path = join(host.cwd, `editor:${name}`);
    // oxlint-disable-next-line no-await-in-loop -- one question after the other
    const { text, files } = await approvedContent(JSON.stringify({ mcpServers: { [name]: entry } }), host);
    const known = approvals.find(path, text);
    const lines = [
      `The editor has an MCP server "${visible(name)}" for this folder that you have not used before:`,
      ...serverLines(name, entry),
      ...coverLines(files),
    ];
    // oxlint-disable-next-line no-await-in-loop -- as above
    const isAllowed = known ?? (await decide(host, output, lines, 'Use it?', call.signal));
    // oxlint-disable-next-line no-await-in-loop -- as above
    if (known === undefined && isAllowed !== undefined) await approvals.save(path, text, isAllowed);
    if (isAllowed === true)
      used.push([name, typeof entry['command'] === 'string' ? { ...entry, cwd: host.cwd } : entry]);
    else
      output.note(
        `mcp: the server "${oneLine(name, 80)}" of the editor is not used${isAllowed === undefined ? '' : ', as you decided'}.`,
      );
  }
  if (used.length === 0) return { bindings: [], close: () => Promise.resolve() };
  const pins = await loadServerPins((name) => `${name} of an editor in ${host.cwd}`, host, output, true);
  const connected = await connectServers({ mcpServers: Object.fromEntries(used) }, call, {
    what: 'the editor',
    isLeftOut: true,
    ...use,
    pins: pins.known ?? {},
    approveTools: (change) => pins.approve(change),
  });
  const { toolset } = connected;
  return {
    bindings: [],
    toolset,
    added: used.map(([name]) => name),
    contents: await contentToolsOf(connected, call.signal).catch((error: unknown) => {
      output.note(`mcp: ${oneLine(errorMessage(error), 400)}`);
      return [];
    }),
    close: async () => {
      await pins.save(toolset.pins());
      await toolset.close();
    },
  };
}
