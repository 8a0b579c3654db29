import { errorMessage } from '@kernel/internal';
import { resolve } from 'node:path';
import type { CommandCall } from '../command-call.ts';
import { loadProjectApprovals } from '../config/project-file.ts';
import type { Host } from '../host.ts';
import { oneLine } from '../output/escape.ts';
import { hasTerminal } from '../questions/ask.ts';
import { confirm } from '../questions/question.ts';
import { fillVariables } from './fill-variables.ts';
import { describeEntry, variablesOf } from './server-entry.ts';
import { type AddedServer, isName, readServerFile, type ServerFile } from './server-files.ts';

/**
 * The servers that were added and that a run may use: the user's, and those of the project if the user approved its file with this content, which is asked once on a
 * terminal. Of two with one name it is the user's. A project's file with a mistake is not used, with a note.
 */
export async function usableServers({
  host,
  output,
}: Pick<CommandCall, 'host' | 'output'>): Promise<readonly AddedServer[]> {
  const own = (await readServerFile('user', host)).servers;
  const project = await readServerFile('project', host).catch((error: unknown) => {
    output.note(`note: ${oneLine(errorMessage(error), 400)}`);
    return undefined;
  });
  const names = new Set(own.map(({ name }) => name));
  const others = project === undefined ? [] : project.servers.filter(({ name }) => !names.has(name));
  const isUsed = project !== undefined && others.length > 0 && (await isApproved(project, host, output));
  return [...own, ...(isUsed ? others : [])].filter(({ name, entry }) => isName(name) && entry['disabled'] !== true);
}

/** Whether the user lets the servers of a project be used: each is shown, with the variables of the environment that it gets. */
async function isApproved(
  { path, text = '', servers }: ServerFile,
  host: Host,
  output: CommandCall['output'],
): Promise<boolean> {
  const approvals = await loadProjectApprovals(host, output);
  const decision = approvals.find(path, text);
  if (decision === true) return true;
  const shown = oneLine(path, 200);
  if (decision === false || !hasTerminal(host)) {
    const why = decision === false ? 'as you decided' : 'since nobody approved it: start prompt-agent on a terminal';
    output.note(`mcp: the servers of ${shown} are not used, ${why}.`);
    return false;
  }
  const lines = [
    `This folder has MCP servers that you have not used before: ${shown}`,
    ...servers.flatMap(({ name, entry }) => serverLines(name, entry)),
  ];
  const isAllowed = await confirm(host, output, lines, 'Use them?', host.signal);
  await approvals.save(path, text, isAllowed);
  return isAllowed;
}

/** A server in lines, for whoever decides on it. */
export function serverLines(name: string, entry: AddedServer['entry']): readonly string[] {
  const variables = variablesOf(entry);
  return [
    `  ${oneLine(name, 80)}:`,
    ...describeEntry(entry).map((line) => `    ${oneLine(line, 2000)}`),
    ...(variables.length === 0 ? [] : [`    gets from the environment: ${oneLine(variables.join(', '), 1000)}`]),
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
