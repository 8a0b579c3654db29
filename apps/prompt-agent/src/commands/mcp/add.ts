import { resolve } from 'node:path';
import { errorMessage, visible } from '@kernel/internal';
import type { CommandCall } from '../../command-call.ts';
import { loadProjectApprovals } from '../../config/project-file.ts';
import { EXIT, usageError } from '../../exit-code.ts';
import { checkEntry } from '../../mcp-servers/check-entry.ts';
import { approvedContent, relativeFiles, withAbsolutePaths } from '../../mcp-servers/entry-paths.ts';
import { importServers } from '../../mcp-servers/import-servers.ts';
import { literalSecrets } from '../../mcp-servers/server-entry.ts';
import {
  changeServerFile,
  checkName,
  readServerFile,
  type Scope,
  type ServerEntry,
  serverFilePath,
  taken,
} from '../../mcp-servers/server-files.ts';
import { serverLines } from '../../mcp-servers/usable-servers.ts';
import { splitCommand } from '../../options/split-command.ts';
import { oneLine } from '../../output/escape.ts';
import { hasTerminal } from '../../questions/ask.ts';
import { confirm } from '../../questions/question.ts';

/**
 * Adds a server, given on the command line, or with `--from` those that another program has, after they were shown. Nothing is started or called. A secret that is
 * written out is warned about; it is never printed.
 */
export async function addServer(call: CommandCall): Promise<number> {
  const { flags, words, host, output } = call;
  const scope: Scope = flags.scope ?? 'user';
  const isImport = flags.from !== undefined;
  if (isImport && (words.length > 0 || flags.header !== undefined || flags.env !== undefined))
    throw usageError('mcp add: --from brings its own names; give it alone, or a name and an address or a command.');
  const servers = isImport ? await importServers(flags.from ?? '', scope, call) : await givenServer(call, scope);
  const here = (await readServerFile(scope, host)).servers;
  const same = [...servers].filter(([name, entry]) =>
    here.some((other) => other.name === name && JSON.stringify(other.entry) === JSON.stringify(entry)),
  );
  for (const [name] of same) {
    if (!isImport) break;
    servers.delete(name);
    output.note(`${name} is there already`);
  }
  const path = serverFilePath(scope, host);
  for (const name of servers.keys()) if (here.some((other) => other.name === name)) throw taken(name, path);
  if (servers.size === 0) output.note('There is nothing to add.');
  if (servers.size === 0) return EXIT.answer;
  if (isImport && !(await isAgreed(call, servers, path))) {
    output.note('nothing was added');
    return EXIT.approval;
  }
  for (const [name, entry] of servers) warn(call, name, entry);
  const { before, after } = await changeServerFile(scope, host, servers);
  if (scope === 'project') await approve(call, path, before, after);
  const added = [...servers.keys()];
  if (flags.json === true) output.writeJson({ added, path, scope }, 2);
  output.note(`added to ${oneLine(path, 300)}: ${added.join(', ')}. Try prompt-agent mcp test ${added[0]}.`);
  return EXIT.answer;
}

async function givenServer(call: CommandCall, scope: Scope): Promise<Map<string, ServerEntry>> {
  const { host, output } = call;
  const [name, entry] = readWords(call);
  await checkEntry(name, entry).catch((error: unknown) => {
    throw usageError(`mcp add: ${oneLine(errorMessage(error), 400)}`);
  });
  if (scope === 'project') return new Map([[name, entry]]);
  for (const file of relativeFiles(entry, host.cwd))
    output.note(
      `warning: ${name}: in another folder ${oneLine(file, 200)} is another file, or none. Give its whole path: ${oneLine(resolve(host.cwd, file), 300)}`,
    );
  return new Map([[name, withAbsolutePaths(entry, host.cwd)]]);
}

function readWords({ flags, words }: CommandCall): readonly [string, ServerEntry] {
  const [given = '', ...rest] = words;
  if (given === '' || rest.length === 0)
    throw usageError(
      'mcp add needs a name, and an address or a command: mcp add NAME URL, mcp add NAME -- COMMAND, or mcp add --from SOURCE.',
    );
  const name = checkName(given);
  const [first = ''] = rest;
  if (/^https?:\/\//i.test(first)) {
    if (rest.length > 1) throw usageError(`mcp add: an address is one word; "${rest[1]}" is too many.`);
    if (flags.env !== undefined) throw usageError('mcp add: --env is for a command; an address takes --header.');
    const url = URL.parse(first);
    if (url === null || url.username !== '' || url.password !== '')
      throw usageError('mcp add: the address is not one, or has a user name or password in it. Give a --header.');
    const headers = pairs(flags.header ?? [], ':', '--header');
    return [name, { type: 'http', url: first, ...(headers && { headers }) }];
  }
  if (/^[a-z][\w+.-]*:\/\//i.test(first))
    throw usageError(
      `mcp add: "${oneLine(first.split(/[?#]/)[0] ?? '', 200)}" is no address of MCP; one begins with http:// or https://.`,
    );
  if (flags.header !== undefined) throw usageError('mcp add: --header is for an address; a command takes --env.');
  const [command = '', ...args] = rest.length === 1 && /\s/.test(first) ? splitCommand(first, 'mcp add') : rest;
  const env = pairs(flags.env ?? [], '=', '--env');
  return [name, { command, ...(args.length > 0 && { args }), ...(env && { env }) }];
}

/** `NAME: VALUE` and `NAME=VALUE` as an object; undefined for none. A value is never shown: it may be a secret. */
function pairs(given: readonly string[], separator: string, flag: string): Record<string, string> | undefined {
  const entries = given.map((text): readonly [string, string] => {
    const at = text.indexOf(separator);
    const name = text.slice(0, Math.max(0, at)).trim();
    if (!/^[\w-]{1,200}$/.test(name))
      throw usageError(`${flag} must be NAME${separator}VALUE, the name of letters, digits, hyphens and underscores.`);
    return [name, text.slice(at + 1).trim()];
  });
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

/** Shows what would be added, and asks. */
async function isAgreed(
  { flags, host, output }: CommandCall,
  servers: ReadonlyMap<string, ServerEntry>,
  path: string,
): Promise<boolean> {
  const lines = [
    `These servers would be added to ${visible(path)}:`,
    ...[...servers].flatMap(([name, entry]) => serverLines(name, entry)),
  ];
  if (flags.force !== true && hasTerminal(host)) return confirm(host, output, lines, 'Add them?', host.signal);
  for (const line of lines) output.note(line);
  if (flags.force === true) return true;
  throw usageError(
    'mcp add --from asks before it adds, and there is no terminal to ask on. Add --force to do it unasked.',
  );
}

function warn({ output, flags }: CommandCall, name: string, entry: ServerEntry): void {
  const places = literalSecrets(entry);
  if (places.length === 0) return;
  const seen = flags.from === undefined ? ' It could also be seen by other users of this machine (ps).' : '';
  output.note(
    `warning: ${name}: what looks like a secret is written out in ${oneLine(places.join(', '), 300)}. A variable, such as \${NAME}, keeps it out of the file.${seen}`,
  );
}

/** What the user adds to a project's file needs no question, if what was there before does not. */
async function approve({ host }: CommandCall, path: string, before: string | undefined, after: string): Promise<void> {
  const approvals = await loadProjectApprovals(host);
  if (before !== undefined && approvals.find(path, (await approvedContent(before, host)).text) !== true) return;
  await approvals.save(path, (await approvedContent(after, host)).text, true);
}
