import { isAbsolute, join } from 'node:path';
import { isObject, parseJson, sliceHead, truncate, visibleLine } from '@kernel/internal';
import type { Tool } from '@kernel/protocol';
import type { ToolCallLocation, ToolKind } from '@agentclientprotocol/sdk/unstable';
import { shellQuote } from '../../questions/shell-quote.ts';
import { showArguments } from '../../questions/show-call.ts';

/** A call as an editor shows it. */
export interface DescribedCall {
  /** What it does, as a person would say it, on one line. */
  readonly title: string;
  readonly kind: ToolKind;
  /** The files that it is about, as absolute paths. */
  readonly locations: ToolCallLocation[];
}

type Input = Readonly<Record<string, unknown>>;

interface KnownTool {
  readonly kind: ToolKind;
  /** What a call does, without its arguments: while these arrive. */
  readonly about: string;
  readonly title?: (input: Input) => string;
}

/** The tools of the program that have something better to show than their names and arguments. */
const KNOWN = new Map(
  Object.entries<KnownTool>({
    read_file: {
      kind: 'read',
      about: 'Read a file',
      title: (input) => `Read ${textOf(input, 'path')}${rangeOf(input)}`,
    },
    list_directory: { kind: 'read', about: 'List a folder', title: (input) => `List ${textOf(input, 'path', '.')}` },
    glob: { kind: 'search', about: 'Find files', title: (input) => `Find ${textOf(input, 'pattern')}${within(input)}` },
    search_text: {
      kind: 'search',
      about: 'Search for text',
      title: (input) => `Search for "${textOf(input, 'query')}"${within(input)}`,
    },
    edit_file: { kind: 'edit', about: 'Edit a file', title: (input) => `Edit ${textOf(input, 'path')}` },
    write_file: { kind: 'edit', about: 'Write a file', title: (input) => `Write ${textOf(input, 'path')}` },
    apply_patch: { kind: 'edit', about: 'Apply a patch', title: (input) => `Edit ${namesOf(patchedFiles(input))}` },
    delete: { kind: 'delete', about: 'Delete', title: (input) => `Delete ${textOf(input, 'path')}` },
    move: { kind: 'move', about: 'Move', title: (input) => `Move ${textOf(input, 'from')} to ${textOf(input, 'to')}` },
    undo: { kind: 'edit', about: 'Undo the last change' },
    run_command: { kind: 'execute', about: 'Run a command', title: (input) => `Run ${commandOf(input)}` },
    agent_command: {
      kind: 'execute',
      about: 'Run a command',
      title: (input) => `Run ${commandOf(input)}, by another agent`,
    },
    read_output: { kind: 'execute', about: 'Read the output of a command' },
    stop_command: { kind: 'execute', about: 'Stop a command' },
    fetch_url: { kind: 'fetch', about: 'Fetch a page', title: (input) => `Fetch ${textOf(input, 'url')}` },
    web_search: {
      kind: 'search',
      about: 'Search the web',
      title: (input) => `Search the web for "${textOf(input, 'query')}"`,
    },
    update_plan: { kind: 'think', about: 'Update the plan' },
    run_code: { kind: 'execute', about: 'Run a program' },
  }),
);

/** What a call does, before its arguments are known. */
export function describeName(name: string, tool: Tool | undefined): Omit<DescribedCall, 'locations'> {
  const known = KNOWN.get(name);
  return { title: known?.about ?? toTitle(tool?.title ?? name), kind: known?.kind ?? kindOf(tool) };
}

/** Describes a call. Its arguments are those of a model: any text. */
export function describeCall(name: string, json: string, tool: Tool | undefined, folder: string): DescribedCall {
  const { title, kind } = describeName(name, tool);
  const parsed = parseJson(json);
  const input = isObject(parsed) ? parsed : {};
  const known = KNOWN.get(name);
  if (known !== undefined)
    return { title: toTitle(known.title?.(input) ?? title), kind, locations: locationsOf(name, input, folder) };
  const shown = json === '' || json === '{}' ? '' : `: ${sliceHead(showArguments(name, json), MAX_TITLE)}`;
  return { title: toTitle(`${title}${shown}`), kind, locations: [] };
}

const MAX_TITLE = 200;
const MAX_LOCATIONS = 50;

function kindOf(tool: Tool | undefined): ToolKind {
  return tool?.effect === 'read' ? 'read' : 'other';
}

function locationsOf(name: string, input: Input, folder: string): ToolCallLocation[] {
  const paths =
    name === 'apply_patch'
      ? patchedFiles(input)
      : ['path', 'from', 'to'].flatMap((key) => (typeof input[key] === 'string' ? [input[key]] : []));
  const { offset } = input;
  const isRead = name === 'read_file' && typeof offset === 'number' && Number.isInteger(offset) && offset > 0;
  return paths
    .filter((path) => path !== '' && path.length <= 4096 && !path.includes('\0'))
    .slice(0, MAX_LOCATIONS)
    .map((path) => ({
      path: isAbsolute(path) ? path : join(folder, path),
      ...(isRead && { line: offset }),
    }));
}

/** The files that a patch names. */
function patchedFiles({ patch }: Input): readonly string[] {
  if (typeof patch !== 'string') return [];
  const names = patch.matchAll(/^(?:\*\*\* (?:Add|Update|Delete) File: |\+\+\+ (?:b\/)?)([^\n\t]{1,1000})/gm);
  return [...new Set([...names].map(([, name = '']) => name.trim()).filter((name) => name !== '/dev/null'))];
}

function namesOf(names: readonly string[]): string {
  if (names.length === 0) return 'files';
  return names.length <= 3 ? names.join(', ') : `${names[0]} and ${names.length - 1} more files`;
}

function rangeOf({ offset, limit }: Input): string {
  if (typeof offset !== 'number' && typeof limit !== 'number') return '';
  const first = typeof offset === 'number' ? offset : 1;
  return typeof limit === 'number' ? ` (lines ${first}–${first + limit - 1})` : ` (from line ${first})`;
}

function within(input: Input): string {
  const [path, glob] = [textOf(input, 'path'), textOf(input, 'glob')];
  return [path === '' ? '' : ` in ${path}`, glob === '' ? '' : ` (${glob})`].join('');
}

function commandOf({ command }: Input): string {
  const words = Array.isArray(command) ? command.filter((word) => typeof word === 'string') : [];
  return words.length === 0 ? 'a command' : `\`${shellQuote(words)}\``;
}

function textOf(input: Input, key: string, otherwise = ''): string {
  const value = input[key];
  return typeof value === 'string' ? value : otherwise;
}

/** One line without characters that would not show. */
export function toTitle(text: string): string {
  return truncate(visibleLine(text).replaceAll(/\s+/g, ' ').trim(), MAX_TITLE);
}

/** The most characters of an input that are sent as it is. What is shown of it is capped by itself. */
const MAX_INPUT = 100_000;

/** The input of a call as the model wrote it, unless it is very long. */
export function rawInputOf(json: string): { readonly rawInput?: unknown } {
  return json.length <= MAX_INPUT ? { rawInput: parseJson(json) ?? json } : {};
}
