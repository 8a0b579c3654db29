import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { errorMessage, isObject } from '@kernel/internal';
import { duplicateKeys } from '@kernel/protocol';
import type { CommandCall } from '../command-call.ts';
import { usageError } from '../exit-code.ts';
import { pathFrom } from '../files/paths.ts';
import { parseJson, requireText } from '../files/read-file.ts';
import type { Host } from '../host.ts';
import { oneLine } from '../output/escape.ts';
import { checkEntry } from './check-entry.ts';
import { withAbsolutePaths } from './entry-paths.ts';
import { mapTexts } from './fill-variables.ts';
import { withoutComments } from './json-with-comments.ts';
import { isName, type Scope, type ServerEntry } from './server-files.ts';

const MAX_SERVERS = 200;
/** What a server of ours is made of; other keys are another program's business. */
const KEYS: ReadonlySet<string> = new Set(['type', 'command', 'args', 'env', 'cwd', 'url', 'headers']);

/**
 * Reads the servers of another program: Claude Desktop, VS Code, Cursor, opencode or Gemini CLI. Inputs that VS Code
 * asks for become variables of the environment, so that no secret is written down. A server that cannot be used here is
 * left out, with a note that says why; none that can, and a file that cannot be meant, are usage errors.
 */
export async function importServers(
  source: string,
  scope: Scope,
  call: CommandCall,
): Promise<Map<string, ServerEntry>> {
  const { host, output } = call;
  const { path, shown } = findSource(source, host);
  const what = `mcp add --from: ${JSON.stringify(oneLine(shown, 300))}`;
  const text = await requireText(path, 'mcp add --from', shown);
  const plain = withoutComments(text.replace(/^\uFEFF/, ''));
  const json = parseJson(plain, what);
  const [twice] = duplicateKeys(plain);
  if (twice !== undefined)
    throw usageError(
      `${what} has "${oneLine(twice, 80)}" more than once in one object, and it is not certain which one counts.`,
    );
  const all = serversIn(json);
  if (all === undefined)
    throw usageError(`${what} has neither "mcpServers" nor "servers", an object with a server under each name.`);
  const entries = Object.entries(all);
  if (entries.length > MAX_SERVERS)
    throw usageError(`${what} has ${entries.length} servers; at most ${MAX_SERVERS} are read.`);
  const inputs = inputsIn(json);
  const found = new Map<string, ServerEntry>();
  for (const [name, entry] of entries) {
    try {
      // oxlint-disable-next-line no-await-in-loop -- the notes are in the order of the file
      found.set(checkedName(name), await convert(name, entry, { inputs, folder: folderOf(path), host, scope }));
    } catch (error) {
      output.note(`left out: ${oneLine(errorMessage(error), 400)}`);
    }
  }
  if (found.size === 0) throw usageError(`${what} has no server that can be used here.`);
  if (inputs.used.size > 0)
    output.note(`note: set ${[...inputs.used].join(', ')} before you use them; ${oneLine(shown, 300)} asks for them.`);
  return found;
}

function checkedName(name: string): string {
  if (isName(name)) return name;
  throw new Error(`"${name}" cannot be a name here: letters, digits, dots, hyphens and underscores, at most 64.`);
}

function serversIn(json: unknown): object | undefined {
  if (!isObject(json)) return undefined;
  // VS Code also takes them as a part of its settings.
  const holders = [json, json['mcp']].filter((holder) => isObject(holder));
  const named = holders.flatMap((holder) => [holder['mcpServers'], holder['servers']]).find((value) => isObject(value));
  // opencode has them right in `mcp`; others save the servers alone.
  const bare = [json['mcp'], json].filter((value) => isObject(value));
  return named ?? bare.find((value) => Object.values(value).some(isServer));
}

function isServer(value: unknown): boolean {
  return isObject(value) && ['command', 'url', 'httpUrl'].some((key) => key in value);
}

/**
 * Returns an entry as it is written here. opencode writes the command as a list, Gemini CLI an address as `httpUrl`,
 * and many numbers in `env`.
 */
function inOwnForm(entry: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { httpUrl, environment, enabled: _enabled, type, ...rest } = entry;
  const { command, env = environment, url = httpUrl } = rest;
  const words: readonly unknown[] = Array.isArray(command) ? command : [command];
  const [program, ...args] = words;
  const variables = isObject(env)
    ? Object.fromEntries(
        Object.entries(env).map(([key, value]) => [
          key,
          /^(?:number|boolean)$/.test(typeof value) ? String(value) : value,
        ]),
      )
    : env;
  const own = type === 'local' ? 'stdio' : type === 'remote' || httpUrl !== undefined ? 'http' : type;
  return {
    ...(own !== undefined && { type: own }),
    ...rest,
    ...(program !== undefined && { command: program }),
    ...(args.length > 0 && { args }),
    ...(variables !== undefined && { env: variables }),
    ...(url !== undefined && { url }),
  };
}

interface Inputs {
  readonly defaults: ReadonlyMap<string, string | undefined>;
  /** The variables that stand for them, as far as they are used. */
  readonly used: Set<string>;
}

/** The inputs of VS Code, with the default of each that is no secret. */
function inputsIn(json: unknown): Inputs {
  const list: readonly unknown[] = isObject(json) && Array.isArray(json['inputs']) ? json['inputs'] : [];
  const defaults = list.slice(0, MAX_SERVERS).flatMap((input): readonly (readonly [string, string | undefined])[] => {
    if (!isObject(input) || typeof input['id'] !== 'string') return [];
    const hasDefault = typeof input['default'] === 'string' && input['password'] !== true;
    return [[input['id'], hasDefault ? String(input['default']) : undefined]];
  });
  return { defaults: new Map(defaults), used: new Set() };
}

interface Conversion {
  readonly inputs: Inputs;
  /** What `${workspaceFolder}` means. */
  readonly folder: string;
  readonly host: Pick<Host, 'home'>;
  readonly scope: Scope;
}

async function convert(name: string, entry: unknown, conversion: Conversion): Promise<ServerEntry> {
  if (!isObject(entry)) throw new Error(`"${name}" must be an object.`);
  if (entry['disabled'] === true || entry['enabled'] === false) throw new Error(`"${name}" is disabled there.`);
  const whole = mapTexts(inOwnForm(entry), (text) => convertText(name, text, conversion));
  await checkEntry(name, whole);
  const kept = Object.fromEntries(Object.entries(whole).filter(([key]) => KEYS.has(key)));
  return conversion.scope === 'project' ? kept : withAbsolutePaths(kept, conversion.folder);
}

/** Replaces the placeholders of other programs by what they mean here. Throws for one that means nothing here. */
function convertText(name: string, text: string, { inputs, folder, host, scope }: Conversion): string {
  return text.replaceAll(/\$\{([^}]{0,4096})\}/g, (whole, inside: string) => {
    const [, id] = /^input:(.{1,200})$/s.exec(inside) ?? [];
    if (id !== undefined) {
      if (!inputs.defaults.has(id)) throw new Error(`"${name}" uses ${whole}, and the file has no input of that id.`);
      const variable = variableOf(id);
      if ([...inputs.defaults.keys()].some((other) => other !== id && variableOf(other) === variable))
        throw new Error(
          `"${name}" uses ${whole}, and another input of the file would be the variable ${variable}, too.`,
        );
      const otherwise = inputs.defaults.get(id);
      if (otherwise !== undefined && !otherwise.includes('}')) return `\${${variable}:-${otherwise}}`;
      inputs.used.add(variable);
      return `\${${variable}}`;
    }
    if (/^(?:env:)?\w+(?::-.*)?$/s.test(inside) && !NAMES.has(inside)) return whole;
    switch (inside) {
      case 'workspaceFolder':
        return scope === 'project' ? '.' : folder;
      case 'workspaceFolderBasename':
        return basename(folder);
      case 'userHome':
        return host.home;
      case 'pathSeparator':
      case '/':
        return '/';
      default:
        throw new Error(`"${name}" uses ${whole}, which only the program knows whose file this is.`);
    }
  });
}

/** The variable of the environment that stands for an input. */
function variableOf(id: string): string {
  return id
    .toUpperCase()
    .replaceAll(/\W/g, '_')
    .replace(/^(?=\d)/, '_');
}

const NAMES: ReadonlySet<string> = new Set(['workspaceFolder', 'workspaceFolderBasename', 'userHome', 'pathSeparator']);

/** The folder that a file in `.vscode` or `.cursor` is for; of any other file the folder that it is in. */
function folderOf(path: string): string {
  const folder = dirname(path);
  return ['.vscode', '.cursor'].includes(basename(folder)) ? dirname(folder) : folder;
}

/** The file of a program by its name, or the file of a path. Throws a usage error that says where it was looked for. */
function findSource(
  source: string,
  host: Pick<Host, 'cwd' | 'env' | 'home'>,
): { readonly path: string; readonly shown: string } {
  const places = placesOf(source, host);
  if (places === undefined) return { path: pathFrom(host, source), shown: source };
  const path = places.find((place) => existsSync(place));
  if (path === undefined)
    throw usageError(
      `mcp add --from ${source}: there is none of ${places.map((place) => oneLine(place, 200)).join(', ')}.`,
    );
  return { path: realpathSync(path), shown: path };
}

function placesOf(
  source: string,
  { cwd, env, home }: Pick<Host, 'cwd' | 'env' | 'home'>,
): readonly string[] | undefined {
  const settings =
    process.platform === 'darwin'
      ? join(home, 'Library', 'Application Support')
      : process.platform === 'win32'
        ? (env['APPDATA'] ?? join(home, 'AppData', 'Roaming'))
        : (env['XDG_CONFIG_HOME'] ?? join(home, '.config'));
  switch (source) {
    case 'claude-desktop':
      return [join(settings, 'Claude', 'claude_desktop_config.json')];
    case 'vscode':
      return [resolve(cwd, '.vscode', 'mcp.json'), join(settings, 'Code', 'User', 'mcp.json')];
    case 'cursor':
      return [resolve(cwd, '.cursor', 'mcp.json'), join(home, '.cursor', 'mcp.json')];
    default:
      return undefined;
  }
}
