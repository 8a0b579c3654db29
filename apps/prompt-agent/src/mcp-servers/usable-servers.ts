import { errorMessage, visible } from '@kernel/internal';
import { resolve } from 'node:path';
import type { CommandCall } from '../command-call.ts';
import { loadProjectApprovals } from '../config/project-file.ts';
import type { Host } from '../host.ts';
import { oneLine } from '../output/escape.ts';
import { canConfirm } from '../questions/ask.ts';
import { decide } from '../questions/question.ts';
import { shellQuote } from '../questions/shell-quote.ts';
import { usageError } from '../exit-code.ts';
import { approvedContent } from './entry-paths.ts';
import { fillVariables } from './fill-variables.ts';
import { describeEntry, variablesOf } from './server-entry.ts';
import { type AddedServer, findServer, isName, readServerFile, type ServerFile } from './server-files.ts';

/**
 * The servers that were added and that a run may use: the user's, and those of the project if the user approved its file with this content, which is asked once on a
 * terminal. Of two with one name it is the user's. A project's file with a mistake is not used, with a note. With a name only the server of that name is returned,
 * and nothing is asked where there is none.
 */
export async function usableServers(
  { host, output }: Pick<CommandCall, 'host' | 'output'>,
  wanted?: string,
): Promise<readonly AddedServer[]> {
  const isWanted = ({ name }: AddedServer): boolean => wanted === undefined || name === wanted;
  const own = (await readServerFile('user', host)).servers.filter(isWanted);
  const project = await readServerFile('project', host).catch((error: unknown) => {
    output.note(`note: ${oneLine(errorMessage(error), 400)}`);
    return undefined;
  });
  const names = new Set(own.map(({ name }) => name));
  const others =
    project === undefined ? [] : project.servers.filter((server) => isWanted(server) && !names.has(server.name));
  const isUsed = project !== undefined && others.length > 0 && (await isApproved(project, host, output));
  return [...own, ...(isUsed ? others : [])].filter(({ name, entry }) => isName(name) && entry['disabled'] !== true);
}

/** Finds a server that may be started or called. Rejects with a usage error for one of a project that the user has not approved. */
export async function findUsable(
  name: string,
  call: Pick<CommandCall, 'host' | 'output' | 'flags'>,
): Promise<AddedServer> {
  const server = await findServer(name, call.host, call.flags.scope);
  if (server.scope === 'user') return server;
  const usable = await usableServers(call, server.name);
  // Use the approved entry: the file may have changed since.
  const approved = usable.find(({ scope }) => scope === 'project');
  if (approved !== undefined) return approved;
  throw usageError(
    usable.length > 0
      ? `mcp: you have a server "${server.name}" yourself, which is used in place of the project's.`
      : `mcp: the server "${server.name}" of this project is not used: it is disabled, or you have not approved the file.`,
  );
}

/** Whether the user lets the servers of a project be used: each is shown whole, with the variables of the environment that it gets. */
async function isApproved(
  { path, text = '', servers }: ServerFile,
  host: Host,
  output: CommandCall['output'],
): Promise<boolean> {
  const approvals = await loadProjectApprovals(host, output);
  const content = await approvedContent(text, host);
  const decision = approvals.find(path, content.text);
  if (decision === true) return true;
  const shown = oneLine(path, 200);
  if (decision === false || !canConfirm(host)) {
    const why = decision === false ? 'as you decided' : 'since nobody approved it: start prompt-agent on a terminal';
    output.note(`mcp: the servers of ${shown} are not used, ${why}.`);
    return false;
  }
  const lines = [
    `This folder has MCP servers that you have not used before: ${visible(path)}`,
    ...servers.flatMap(({ name, entry }) => serverLines(name, entry)),
    ...coverLines(content.files),
  ];
  const isAllowed = await decide(host, output, lines, 'Use them?', host.signal);
  if (isAllowed !== undefined) await approvals.save(path, content.text, isAllowed);
  return isAllowed === true;
}

/** A server in lines, for a question. */
export function serverLines(name: string, entry: AddedServer['entry']): readonly string[] {
  const variables = variablesOf(entry);
  return [
    `  ${visible(name)}:`,
    ...describeEntry(entry, true).map((line) => `    ${visible(line)}`),
    ...(variables.length === 0 ? [] : [`    gets from the environment: ${variables.join(', ')}`]),
  ];
}

/** Says how far an answer about servers goes. */
export function coverLines(files: readonly string[]): readonly string[] {
  return [
    ...(files.length === 0 ? [] : [`The answer holds until one of these files changes: ${shellQuote(files)}`]),
    'What else the servers run or load is not checked, and may change without a question.',
  ];
}

/** The config of servers for `connectMcp`, with variables of the environment. Throws a usage error that names the server. */
export function configOf(servers: readonly AddedServer[], { cwd, env }: Pick<Host, 'cwd' | 'env'>): unknown {
  const entries = servers.map(({ name, entry }): readonly [string, object] => {
    const filled = fillVariables(entry, env, `mcp: the server "${name}"`);
    const isProgram = typeof filled['command'] === 'string';
    const folder = typeof filled['cwd'] === 'string' ? resolve(cwd, filled['cwd']) : cwd;
    return [name, isProgram ? { ...filled, cwd: folder } : filled];
  });
  return { mcpServers: Object.fromEntries(entries) };
}
