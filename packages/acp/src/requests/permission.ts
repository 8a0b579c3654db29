import { isObject } from '@kernel/internal';
import { type OwnCall, TOO_LONG } from '../agent/own-call.ts';
import type { Decision } from '../agent/task.ts';
import { realPathWithin } from '../copy/path-within.ts';
import type { AgentRequestName } from '../options.ts';
import { FILE_KINDS } from './targets.ts';

/** What a request for permission gets: it is allowed or denied without a question, or asked about as a call of a tool. */
type RequestVerdict = Decision | { readonly tool: AgentRequestName; readonly input: object };

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
  const isSaid = isObject(input) || content.some(({ type }) => type === 'diff');
  const places = [...paths, ...(targets ?? [])];
  const isPlaced = places.length > 0 || kind === 'think';
  if (FILE_KINDS.has(kind) && targets !== undefined && isSaid && isPlaced && (await areInside(places, folder)))
    return { isAllowed: true };
  const command = kind === 'execute' ? await commandOf(input, folder) : undefined;
  if (command !== undefined) return { tool: 'agent_command', input: command };
  const shown = { kind, title, ...(paths.length > 0 && { paths }), ...(input !== undefined && { input }) };
  if (input === TOO_LONG || JSON.stringify(shown).length > MAX_SHOWN)
    return { isAllowed: false, reason: `The request is longer than the ${MAX_SHOWN} characters that can be shown.` };
  return { tool: 'agent_permission', input: shown };
}

async function areInside(places: readonly string[], folder: string): Promise<boolean> {
  for (const place of places)
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
