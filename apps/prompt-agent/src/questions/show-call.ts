import { isAbsolute, join } from 'node:path';
import { visible } from '@kernel/internal';
import { duplicateKeys } from '@kernel/protocol';
import { indentJson, type JsonMember, parseJsonMembers } from './json-text.ts';
import { shellQuote } from './shell-quote.ts';

/** How the tool `run_command` of this program runs commands. */
export interface CommandSetting {
  /** The folder that their folder is below. */
  readonly folder: string;
  /** The longest that one may take, in milliseconds. */
  readonly timeoutMs: number;
  /** What isolates them, such as `bubblewrap`; null if nothing does, and undefined where that is not known. */
  readonly isolation: string | null | undefined;
}

/** Whose a tool of an MCP server is. */
export interface ToolOrigin {
  readonly server: string;
  /** The name that the tool has there. */
  readonly tool: string;
}

/** Names the server of a call, below its first line. No argument makes this line: its name would be in quotes. */
export function withOrigin(lines: readonly string[], origin: ToolOrigin | undefined): readonly string[] {
  if (origin === undefined) return lines;
  const [name = '', ...rest] = lines;
  return [
    name,
    `MCP server: ${oneLine(JSON.stringify(origin.server))}, its tool ${oneLine(JSON.stringify(origin.tool))}`,
    ...rest,
  ];
}

/** The line that says that a command is not isolated. No argument makes this line. */
export const NOT_ISOLATED = 'not isolated';

/** The longest value other than text that is shown on the line of its name. */
const MAX_INLINE = 80;

/**
 * Shows a call for somebody who decides on it, or reads about it later: a command as one would type it, with its folder, its time limit and how it is
 * isolated, with whose it is if an agent asks for it; any other arguments as `name: value`. Nothing is shortened. Control and invisible characters become visible
 * text such as `\u200b`; keys that are there twice are named, and then the arguments are shown as they are written.
 */
export function showCall(name: string, json: string, commands?: CommandSetting): readonly string[] {
  const duplicates = duplicateKeys(json);
  const members = duplicates.length === 0 ? parseJsonMembers(json) : undefined;
  if (members !== undefined)
    return [oneLine(name), ...(commandLines(name, members, commands) ?? members.flatMap(memberLines))];
  // Indented, since such a text may have any lines.
  const written = visible(duplicates.length === 0 ? indentJson(json) : json).split('\n');
  return [
    oneLine(name),
    ...written.map((line) => `  ${line}`),
    ...(duplicates.length === 0
      ? []
      : [
          `Warning: these keys occur more than once, and it is not certain which value is used: ${oneLine(duplicates.join(', '))}`,
        ]),
  ];
}

/** Shows the arguments of a call on one line: a command as one would type it, others as they are written. */
export function showArguments(name: string, json: string): string {
  const words = name === 'run_command' || name === 'agent_command' ? wordsOf(parseJsonMembers(json) ?? []) : undefined;
  return words === undefined ? json : shellQuote(words);
}

function commandLines(
  name: string,
  members: readonly JsonMember[],
  commands: CommandSetting | undefined,
): readonly string[] | undefined {
  const isByAgent = name === 'agent_command';
  const words = name === 'run_command' || isByAgent ? wordsOf(members) : undefined;
  if (words === undefined) return undefined;
  const valueOf = (key: string): unknown => {
    const found = members.find((member) => member.key === key);
    return found === undefined ? undefined : JSON.parse(found.json);
  };
  const [cwd, seconds] = [valueOf('cwd'), valueOf('timeout_seconds')];
  const below = typeof cwd === 'string' && cwd !== '' ? cwd : '.';
  const agent = valueOf('agent');
  const isInCopy = typeof agent === 'string';
  const copyLines = isInCopy ? [`folder: ${shellQuote([below])}, in the copy of the agent ${oneLine(agent)}`] : [];
  if (isByAgent)
    return [
      `$ ${shellQuote(words)}`,
      ...copyLines,
      NOT_ISOLATED,
      'The agent runs it by itself, with your rights and without a time limit.',
      ...members.filter(({ key }) => !['command', 'cwd', 'agent'].includes(key)).flatMap(memberLines),
    ];
  const longest = commands === undefined ? Infinity : commands.timeoutMs / 1000;
  const limit = Math.min(longest, typeof seconds === 'number' ? seconds : Infinity);
  const isBackground = valueOf('background') === true;
  const shown = new Set(['command', 'cwd', 'timeout_seconds', 'background', ...(isInCopy ? ['agent'] : [])]);
  return [
    `$ ${shellQuote(words)}`,
    ...copyLines,
    ...(isInCopy || (commands === undefined && below === '.')
      ? []
      : [`folder: ${shellQuote([folderOf(below, commands)])}`]),
    ...(isBackground ? ['time limit: none, it runs in the background'] : []),
    ...(isBackground || limit === Infinity ? [] : [`time limit: ${limit} s`]),
    ...isolationLines(commands?.isolation),
    ...members.filter(({ key }) => !shown.has(key)).flatMap(memberLines),
  ];
}

function folderOf(below: string, commands: CommandSetting | undefined): string {
  return commands === undefined || isAbsolute(below) ? below : join(commands.folder, below);
}

function isolationLines(isolation: CommandSetting['isolation']): readonly string[] {
  if (isolation === undefined) return [];
  return [isolation === null ? NOT_ISOLATED : `isolated: ${oneLine(isolation)}, no network`];
}

function wordsOf(members: readonly JsonMember[]): readonly string[] | undefined {
  const given = members.find(({ key }) => key === 'command')?.json;
  const words: unknown = given === undefined ? undefined : JSON.parse(given);
  const isCommand = Array.isArray(words) && words.length > 0 && words.every((word) => typeof word === 'string');
  return isCommand ? words : undefined;
}

function memberLines({ key, json }: JsonMember): readonly string[] {
  // An argument must not look like what is said about a command.
  const isPlain = /^[\w.$-]+$/.test(key) && key !== 'isolated' && key !== 'folder';
  const name = isPlain ? key : oneLine(JSON.stringify(key));
  const { text, isText } = textOf(json);
  // `visible` reads CRLF as a newline; what a program gets has both.
  const lines = visible(text.replaceAll('\r\n', '\\x0d\n')).split('\n');
  const isInline = lines.length === 1 && (isText || text.length <= MAX_INLINE);
  return isInline ? [`${name}: ${lines[0] ?? ''}`] : [`${name}:`, ...lines.map((line) => `  ${line}`)];
}

/** A value as it is shown. Text that could be taken for another value, or whose ends would not show, is in quotes. */
function textOf(json: string): { readonly text: string; readonly isText: boolean } {
  if (!json.startsWith('"'))
    return { text: json.length <= MAX_INLINE && !json.includes('{') ? json : indentJson(json), isText: false };
  const value = String(JSON.parse(json));
  const isUnclear = value === '' || value !== value.trim() || /^(?:-?\d|[[{"]|(?:true|false|null)$)/.test(value);
  return { text: isUnclear && !value.includes('\n') ? JSON.stringify(value) : value, isText: true };
}

function oneLine(text: string): string {
  return visible(text).replaceAll('\n', String.raw`\n`);
}
