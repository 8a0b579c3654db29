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
 * Says how a request for permission is decided. What only reads or changes the copy needs no question: the changes come back as one. That is so if it names where it
 * works, every path leads into the copy with links followed, and nothing in it is a command or an address. A command, which the agent runs by itself, is asked about
 * as `agent_command`; anything else with all that the agent says of it.
 */
export async function verdictOn(call: OwnCall, folder: string): Promise<RequestVerdict> {
  const { kind, title, input, paths } = call;
  if (FILE_KINDS.has(kind) && (paths.length > 0 || kind === 'think') && (await staysInside(input, paths, folder)))
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
/** Names of arguments that run something, or go somewhere. */
const ACTION_KEYS = /command|cmd|script|shell|exec|argv|^args$|program|code|url|uri|host/i;
/** Names of arguments that are the text of a file, in which anything may stand. */
const TEXT_KEYS = /^(?:content|contents|text|diff|patch|(?:old|new)_?(?:string|str|text|content))$/i;
/** Names of arguments that are paths, also relative ones. */
const PATH_KEYS = /path|file|folder|dir|cwd|root|target|source|destination|^(?:from|to)$/i;
const MAX_VALUES = 1000;

async function staysInside(input: unknown, paths: readonly string[], folder: string): Promise<boolean> {
  const targets = [...paths];
  const pending: (readonly [key: string, value: unknown])[] = [['', input]];
  for (let count = 0; pending.length > 0; count += 1) {
    const [key, value] = pending.pop() ?? ['', undefined];
    if (count > MAX_VALUES || value === TOO_LONG) return false;
    if (value !== undefined && value !== null && value !== '' && ACTION_KEYS.test(key)) return false;
    if (typeof value === 'string') {
      if (TEXT_KEYS.test(key)) continue;
      if (/^[a-z][a-z\d+.-]+:/i.test(value)) return false;
      if (PATH_KEYS.test(key) || /^[/\\~]|(?:^|[/\\])\.\.(?:[/\\]|$)/.test(value)) targets.push(value);
    } else if (Array.isArray(value)) for (const each of value as readonly unknown[]) pending.push([key, each]);
    else if (isObject(value)) pending.push(...Object.entries(value));
  }
  if (targets.length > MAX_VALUES) return false;
  for (const target of targets)
    // oxlint-disable-next-line no-await-in-loop -- there are few, and the first one outside ends it
    if (target.startsWith('~') || (await realPathWithin(folder, target)) === undefined) return false;
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
