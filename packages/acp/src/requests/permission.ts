import { isObject } from '@kernel/internal';
import { type OwnCall, TOO_LONG } from '../agent/own-call.ts';
import { realPathWithin } from '../copy/path-within.ts';

/** The names of the calls that let an agent do something by itself: a command, and anything else. */
export type AgentRequestName = 'agent_command' | 'agent_permission';

/** What a request for permission gets: it is allowed or denied without a question, or asked about as a call of a tool. */
export type RequestVerdict =
  | { readonly verdict: 'allow' }
  | { readonly verdict: 'deny'; readonly reason: string }
  | { readonly verdict: 'ask'; readonly tool: AgentRequestName; readonly input: object };

const MAX_SHOWN = 100_000;

/** What may stand beside a command without being shown: it changes nothing of what runs. */
const HARMLESS_KEYS = new Set(['description', 'explanation', 'justification', 'timeout', 'timeout_ms', 'timeoutMs']);

/**
 * Says how a request for permission is decided. What only reads or changes the copy needs no question: the changes come back as one. Its kind and title are mere
 * labels: it must say in an input or a diff what it does, each name in the inputs that were ever said of it must be one of work on files, and every path must lead
 * into the copy with links followed. A command, which the agent runs by itself, is asked about as `agent_command`; anything else with all that the agent says of it.
 */
export async function verdictOn(call: OwnCall, folder: string): Promise<RequestVerdict> {
  const { kind, title, input, paths, content, targets } = call;
  const isSaid = isObject(input) || content.some((each) => isObject(each) && each['type'] === 'diff');
  const places = [...paths, ...(targets ?? [])];
  const isPlaced = places.length > 0 || kind === 'think';
  if (FILE_KINDS.has(kind) && targets !== undefined && isSaid && isPlaced && (await areInside(places, folder)))
    return { verdict: 'allow' };
  const command = kind === 'execute' ? await commandOf(input, folder) : undefined;
  if (command !== undefined) return { verdict: 'ask', tool: 'agent_command', input: command };
  const shown = { kind, title, ...(paths.length > 0 && { paths }), ...(input !== undefined && { input }) };
  if (input === TOO_LONG || JSON.stringify(shown).length > MAX_SHOWN)
    return {
      verdict: 'deny',
      reason: `The request is longer than the ${MAX_SHOWN} characters that can be shown.`,
    };
  return { verdict: 'ask', tool: 'agent_permission', input: shown };
}

/** What an agent may do to its copy without a question. */
const FILE_KINDS = new Set(['think', 'read', 'search', 'edit', 'delete', 'move']);
/** The words that names of arguments of work on files are made of. */
const FILE_WORDS = new Set(
  `a abs absolute all append b c case change changes content contents count create depth description dest destination diff dir
  directory edit edits encoding end exclude expected explanation file filename filepath files folder folders from glob head hidden i id
  ignore include insensitive insert lang length limit line lines max min mode multiline n name new notebook num number offset old
  output overwrite page pages patch path paths pattern query range reason recursive regex relative replace replacement
  replacements results root sensitive source src start str string strings tail target text thought thoughts title to total type
  view`.split(/\s+/),
);
/** Names of arguments that are the text of a file, in which anything may stand. */
const TEXT_KEYS = /^(?:content|contents|text|diff|patch|(?:old|new)_?(?:string|str|text|content))$/i;
/** Names of arguments that are paths, also relative ones. */
const PATH_KEYS = /path|file|folder|dir|root|target|source|src|dest|^(?:from|to)$/i;
const MAX_VALUES = 1000;

/** Adds the places that a further message about a call names in its input; undefined once one may be more than work on files. */
export function addTargets(
  known: OwnCall['targets'],
  { content, kind }: Readonly<Record<string, unknown>>,
  input: unknown,
): OwnCall['targets'] {
  const hasTerminal = Array.isArray(content) && content.some((each) => isObject(each) && each['type'] === 'terminal');
  const isRelabelled = typeof kind === 'string' && kind !== 'other' && !FILE_KINDS.has(kind);
  const added = input === undefined || input === null ? [] : targetsOf(input);
  if (known === undefined || added === undefined || hasTerminal || isRelabelled) return undefined;
  const all = [...new Set([...known, ...added])];
  return all.length > MAX_VALUES ? undefined : all;
}

function targetsOf(input: unknown): readonly string[] | undefined {
  if (!isObject(input)) return undefined;
  const targets: string[] = [];
  const pending: (readonly [key: string, value: unknown])[] = [['', input]];
  for (let count = 0; pending.length > 0; count += 1) {
    const [key, value] = pending.pop() ?? ['', undefined];
    if (count > MAX_VALUES) return undefined;
    if (value === undefined || value === null || value === '') continue;
    if (!isFileKey(key)) return undefined;
    if (typeof value === 'string') {
      if (TEXT_KEYS.test(key)) continue;
      if (/^[a-z][a-z\d+.-]+:/i.test(value)) return undefined;
      if (PATH_KEYS.test(key) || /^[/\\~]|(?:^|[/\\])\.\.(?:[/\\]|$)/.test(value)) targets.push(value);
    } else if (Array.isArray(value)) for (const each of value as readonly unknown[]) pending.push([key, each]);
    else if (isObject(value)) pending.push(...Object.entries(value));
  }
  return targets;
}

function isFileKey(key: string): boolean {
  if (key.length > 100) return false;
  const words = key
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/);
  return words.every((word) => word === '' || FILE_WORDS.has(word)) && /^[\w-]*$/.test(key);
}

async function areInside(places: readonly string[], folder: string): Promise<boolean> {
  for (const place of places)
    // oxlint-disable-next-line no-await-in-loop -- there are few, and the first one outside ends it
    if (place.startsWith('~') || (await realPathWithin(folder, place)) === undefined) return false;
  return true;
}

/** The input of `agent_command` for what an agent says of a command; undefined if that says more than the words and a folder in the copy. */
async function commandOf(input: unknown, folder: string): Promise<object | undefined> {
  if (typeof input === 'string') return { command: toWords(input) };
  if (!isObject(input)) return undefined;
  const { command, cmd = command, cwd, workdir = cwd, ...rest } = input as Readonly<Record<string, unknown>>;
  if (Object.keys(rest).some((key) => !HARMLESS_KEYS.has(key))) return undefined;
  if (command !== undefined && cmd !== command) return undefined;
  if (cwd !== undefined && workdir !== cwd) return undefined;
  const words = typeof cmd === 'string' ? toWords(cmd) : cmd;
  const isWords = Array.isArray(words) && words.length > 0 && words.every((word) => typeof word === 'string');
  if (!isWords) return undefined;
  if (workdir === undefined || workdir === null || workdir === '') return { command: words };
  if (typeof workdir !== 'string') return undefined;
  const below = await realPathWithin(folder, workdir);
  return below === undefined ? undefined : { command: words, ...(below !== '.' && { cwd: below }) };
}

function toWords(text: string): readonly string[] {
  return ['sh', '-c', text];
}
