import { existsSync, lstatSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { attempt, isObject, sha256Hex } from '@kernel/internal';
import { duplicateKeys } from '@kernel/protocol';
import { configFolder, stateFolder } from '../config/folders.ts';
import { changeState } from '../config/state-file.ts';
import { usageError } from '../exit-code.ts';
import { parseJson, readText } from '../files/read-file.ts';
import type { Host } from '../host.ts';
import { oneLine } from '../output/escape.ts';

/** Whose file a server is in: the user's, for all folders, or that of the project in the current folder. */
export type Scope = 'user' | 'project';

/** An entry of `mcpServers` as it is written, with its variables. */
export type ServerEntry = Readonly<Record<string, unknown>>;

/** A server that was added. */
export interface AddedServer {
  readonly name: string;
  readonly scope: Scope;
  /** The file that it is in. */
  readonly path: string;
  readonly entry: ServerEntry;
}

/** A file of servers as it is. */
export interface ServerFile {
  readonly path: string;
  /** Its text; undefined if there is none. */
  readonly text: string | undefined;
  readonly servers: readonly AddedServer[];
}

type Folders = Pick<Host, 'cwd' | 'env' | 'home'>;

const PROJECT_FILE = '.mcp.json';

/** Where the servers of a scope are. */
export function serverFilePath(scope: Scope, host: Folders): string {
  return scope === 'user' ? join(configFolder(host), 'mcp.json') : join(host.cwd, PROJECT_FILE);
}

/** Whether servers may have been added: where there is no file of them, nothing else is looked for. */
export function mayHaveServers(host: Folders): boolean {
  return existsSync(serverFilePath('user', host)) || existsSync(serverFilePath('project', host));
}

/** A name that can be written in `@name:uri` and `/name:prompt`, and that is the prefix of tools. */
export function checkName(name: string): string {
  if (isName(name)) return name;
  throw usageError(
    `mcp: "${oneLine(name, 80)}" cannot be the name of a server: it has 1 to 64 letters, digits, dots, hyphens and underscores, the first a letter or digit.`,
  );
}

export function isName(name: string): boolean {
  return /^[A-Za-z0-9][\w.-]{0,63}$/.test(name);
}

/** Reads the servers of a scope. Rejects with a usage error that names the file for one that is no file of servers, and for a project's that is a link. */
export async function readServerFile(scope: Scope, host: Folders): Promise<ServerFile> {
  const path = serverFilePath(scope, host);
  refuseLink(scope, path);
  const text = await readText(path, 'mcp');
  if (text === undefined) return { path, text, servers: [] };
  const json = await checked(path, text);
  const all = Object.entries(isObject(json['mcpServers']) ? json['mcpServers'] : {});
  const servers = all.flatMap(([name, entry]) => (isObject(entry) ? [{ name, scope, path, entry }] : []));
  return { path, text, servers };
}

function isLink(path: string): boolean {
  return attempt(() => lstatSync(path))?.isSymbolicLink() === true;
}

/** A project's file may come from a stranger, who could have it lead to a file of the user's. */
function refuseLink(scope: Scope, path: string): void {
  if (scope === 'project' && isLink(path))
    throw usageError(
      `mcp: ${oneLine(path, 300)} is a link to elsewhere, and is neither read nor changed. Put the file itself there.`,
    );
}

/** The object in a file of servers, with types that can be meant. */
async function checked(path: string, text: string): Promise<Readonly<Record<string, unknown>>> {
  const shown = oneLine(path, 300);
  const json = parseJson(text, `mcp: ${shown}`);
  const [twice] = duplicateKeys(text);
  if (twice !== undefined)
    throw usageError(
      `mcp: ${shown} has "${oneLine(twice, 80)}" more than once in one object, and it is not certain which one counts.`,
    );
  const { checkMcpFile } = await import('../config/file-schemas.ts');
  return checkMcpFile(`mcp: ${shown}`, json);
}

/** All servers that were added, the user's first. One of the project with the name of one of the user's is not used. Rejects if a file of them is damaged. */
export async function readAllServers(host: Folders): Promise<readonly AddedServer[]> {
  const files = [await readServerFile('user', host), await readServerFile('project', host)];
  return files.flatMap(({ servers }) => servers);
}

/**
 * Finds a server that was added; of two with one name the user's, whatever the project's file is like. Rejects with a usage error that names those that there are.
 */
export async function findServer(name: string, host: Folders, scope?: Scope): Promise<AddedServer> {
  const all: AddedServer[] = [];
  for (const each of scope === undefined ? (['user', 'project'] as const) : [scope]) {
    // oxlint-disable-next-line no-await-in-loop -- the project's is read only if it counts
    all.push(...(await readServerFile(each, host)).servers);
    const found = all.find((server) => server.name === name);
    if (found !== undefined) return found;
  }
  const names = [...new Set(all.map((server) => oneLine(server.name, 64)))];
  throw usageError(
    `mcp: there is no server "${oneLine(name, 64)}"${names.length === 0 ? '. Add one with prompt-agent mcp add' : `; there are ${names.join(', ')}`}.`,
  );
}

/**
 * Adds entries to the servers of a scope, or removes those that are undefined. What another process writes meanwhile is kept; the file is replaced as a whole. Rejects
 * with a usage error for a name that is taken by then, and for a file that is damaged, which is left as it is. Resolves to the text before and after.
 */
export async function changeServerFile(
  scope: Scope,
  host: Folders,
  changes: ReadonlyMap<string, ServerEntry | undefined>,
): Promise<{ readonly path: string; readonly before: string | undefined; readonly after: string }> {
  const path = serverFilePath(scope, host);
  refuseLink(scope, path);
  const real = isLink(path) ? realpathSync(path) : path;
  const lock = join(stateFolder(host), `mcp-${sha256Hex(real).slice(0, 16)}`);
  let before: string | undefined;
  let after = '';
  const change = changeState(
    real,
    async () => {
      before = await readText(real, 'mcp');
      const json = before === undefined ? {} : await checked(path, before);
      const servers = isObject(json['mcpServers']) ? json['mcpServers'] : {};
      for (const [name, entry] of changes)
        if (entry !== undefined && Object.hasOwn(servers, name)) throw taken(name, path);
      const kept = Object.entries(servers).filter(([name]) => !changes.has(name));
      const added = [...changes].filter(([, entry]) => entry !== undefined);
      const next = { ...json, mcpServers: Object.fromEntries([...kept, ...added]) };
      after = `${JSON.stringify(next, undefined, 2)}\n`;
      return next;
    },
    lock,
  );
  await change.catch((error: unknown) => {
    // An error of the system names the path that cannot be written: the file, or the lock.
    if (error instanceof Error && 'syscall' in error)
      throw usageError(`mcp: ${oneLine(path, 300)} stays as it is: ${oneLine(error.message, 300)}.`);
    throw error;
  });
  return { path, before, after };
}

export function taken(name: string, path: string): Error {
  return usageError(
    `mcp: there is a server "${name}" already, in ${oneLine(path, 300)}. Remove it with prompt-agent mcp remove ${name}, or take another name.`,
  );
}
