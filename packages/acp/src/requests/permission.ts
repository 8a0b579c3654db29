import { isAbsolute, relative, sep } from 'node:path';
import { isObject } from '@kernel/internal';
import type { OwnCall } from '../agent/updates.ts';

/** How a request for permission is decided: allowed without a question, refused without one, or as a call of a tool. */
export type PermissionQuestion =
  | { readonly decision: 'allow' }
  | { readonly decision: 'refuse'; readonly reason: string }
  | { readonly decision: 'ask'; readonly tool: 'agent_command' | 'agent_permission'; readonly input: object };

const MAX_SHOWN = 100_000;

/** What may stand beside a command without being shown: it changes nothing of what runs. */
const BESIDE_COMMAND = new Set(['description', 'explanation', 'justification', 'timeout', 'timeout_ms', 'timeoutMs']);

/**
 * Says how a request for permission is decided. What only reads or changes the copy needs no question: the changes come back as one. A command, which the agent
 * runs by itself, is asked about as `agent_command`; anything else with all that the agent says of it.
 */
export function questionOf(call: OwnCall, folder: string): PermissionQuestion {
  const { kind, title, input, paths } = call;
  if (kind === 'think') return { decision: 'allow' };
  const isInside = paths.length > 0 && paths.every((path) => isWithin(folder, path));
  if (isInside && ['read', 'search', 'edit', 'delete', 'move'].includes(kind)) return { decision: 'allow' };
  const command = kind === 'execute' ? commandOf(input, folder) : undefined;
  if (command !== undefined) return { decision: 'ask', tool: 'agent_command', input: command };
  const shown = { kind, title, ...(paths.length > 0 && { paths }), ...(input !== undefined && { input }) };
  if (JSON.stringify(shown).length > MAX_SHOWN)
    return {
      decision: 'refuse',
      reason: `what it asks for is longer than the ${MAX_SHOWN} characters that can be shown`,
    };
  return { decision: 'ask', tool: 'agent_permission', input: shown };
}

/** The input of `agent_command` for what an agent says of a command; undefined if that says more than the words and a folder in the copy. */
function commandOf(input: unknown, folder: string): object | undefined {
  if (typeof input === 'string') return { command: toWords(input) };
  if (!isObject(input)) return undefined;
  const { command, cmd = command, cwd, workdir = cwd, ...rest } = input as Readonly<Record<string, unknown>>;
  if (Object.keys(rest).some((key) => !BESIDE_COMMAND.has(key))) return undefined;
  if (command !== undefined && cmd !== command) return undefined;
  if (cwd !== undefined && workdir !== cwd) return undefined;
  const words = typeof cmd === 'string' ? toWords(cmd) : cmd;
  const isWords = Array.isArray(words) && words.length > 0 && words.every((word) => typeof word === 'string');
  if (!isWords) return undefined;
  if (workdir === undefined || workdir === null || workdir === '') return { command: words };
  if (typeof workdir !== 'string') return undefined;
  const below = placeIn(folder, workdir);
  return below === undefined ? undefined : { command: words, ...(below !== '.' && { cwd: below }) };
}

function toWords(text: string): readonly string[] {
  return ['sh', '-c', text];
}

/** Whether a path, as the agent gives it, is in a folder by its name. A relative one is below it. */
export function isWithin(folder: string, path: string): boolean {
  return placeIn(folder, path) !== undefined;
}

/** A path relative to a folder, with `/`; undefined if it leads out of it. */
export function placeIn(folder: string, path: string): string | undefined {
  if (path.includes('\0')) return undefined;
  const below = isAbsolute(path) ? relative(folder, path) : relative(folder, `${folder}${sep}${path}`);
  if (below === '..' || below.startsWith(`..${sep}`) || isAbsolute(below)) return undefined;
  return below === '' ? '.' : below.split(sep).join('/');
}
