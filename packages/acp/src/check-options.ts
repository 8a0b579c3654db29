import { basename } from 'node:path';
import { definedFields, MAX_TIMER_MS, sliceHead } from '@kernel/internal';
import { checkFunctions, checkKeys, checkNumber, invalidOption, isToolName, optionKeys } from '@kernel/protocol';
import type { AcpAgentLimits, AcpAgentOptions } from './options.ts';

/** The options of `acpAgent`, complete. */
export interface CheckedOptions extends Omit<AcpAgentOptions, 'args' | 'env' | 'name' | 'description' | 'limits'> {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly name: string;
  readonly description: string;
  readonly limits: Omit<AcpAgentLimits, keyof typeof DEFAULT_LIMITS> & typeof DEFAULT_LIMITS;
}

const KEYS = optionKeys<AcpAgentOptions>({
  command: true,
  args: true,
  env: true,
  name: true,
  description: true,
  workspace: true,
  commands: true,
  model: true,
  mode: true,
  limits: true,
});

const DEFAULT_LIMITS = {
  startMs: 60_000,
  silenceMs: 600_000,
  files: 100_000,
  bytes: 2 * 1024 ** 3,
  messageBytes: 16 * 1024 ** 2,
  textCharacters: 4_000_000,
};
const LIMIT_KEYS = new Set(['tokens', 'cost', 'timeMs', ...Object.keys(DEFAULT_LIMITS)]);

/** Checks the options and fills in the defaults. Throws `CONFIG_INVALID`. */
export function checkOptions(options: AcpAgentOptions): CheckedOptions {
  checkKeys('acpAgent', options, KEYS);
  const { command, args = [], env = {}, workspace, commands, model, mode, limits = {} } = options;
  if (!isText(command)) throw invalidOption('acpAgent', 'command', 'the name of a program', command);
  const { name = nameOf(command) } = options;
  if (!Array.isArray(args) || !args.every((each) => typeof each === 'string' && !each.includes('\0')))
    throw invalidOption('acpAgent', 'args', 'an array of strings', args);
  if (typeof env !== 'object' || env === null || !Object.entries(env).every(isVariable))
    throw invalidOption('acpAgent', 'env', 'an object of strings', typeof env);
  if (!isToolName(name)) throw invalidOption('acpAgent', 'name', 'a name of a tool', name);
  for (const [key, value] of Object.entries({ model, mode }))
    if (value !== undefined && !isText(value))
      throw invalidOption('acpAgent', key, 'a string that is not empty', value);
  for (const method of ['allows', 'stat', 'read', 'list', 'apply'])
    if (typeof workspace !== 'object' || workspace === null || typeof Reflect.get(workspace, method) !== 'function')
      throw invalidOption('acpAgent', 'workspace', 'a workspace, such as one of createWorkspace', workspace);
  checkFunctions('acpAgent', { commands });
  const description =
    options.description ??
    `Has the agent "${name}" work on a task in a copy of the workspace, and brings back what it changed. It knows nothing of this conversation.`;
  return { command, args, env, name, description, workspace, commands, model, mode, limits: checkLimits(limits) };
}

function checkLimits(limits: AcpAgentLimits): CheckedOptions['limits'] {
  checkKeys('acpAgent', limits, LIMIT_KEYS, 'limits.');
  // Those of the run are checked by it.
  const { tokens, cost, timeMs, ...own } = limits;
  for (const [key, value] of Object.entries({ timeMs, ...own })) checkNumber('acpAgent', `limits.${key}`, value, 1);
  const all = { ...DEFAULT_LIMITS, ...definedFields(own) };
  return {
    ...all,
    tokens,
    cost,
    // A timer takes no longer time, and the SDK no larger number.
    timeMs: (timeMs ?? Infinity) > MAX_TIMER_MS ? undefined : timeMs,
    startMs: Math.min(all.startMs, MAX_TIMER_MS),
    silenceMs: Math.min(all.silenceMs, MAX_TIMER_MS),
    messageBytes: Math.min(all.messageBytes, Number.MAX_SAFE_INTEGER),
  };
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && !value.includes('\0');
}

function isVariable([name, value]: readonly [string, unknown]): boolean {
  return name !== '' && !/[=\0]/.test(name) && typeof value === 'string' && !value.includes('\0');
}

/** The name of the tool of a program: `gemini` for `/usr/bin/gemini.js`. */
function nameOf(command: string): string {
  const plain = basename(command)
    .replace(/\.\w+$/, '')
    .replaceAll(/[^A-Za-z0-9_-]/g, '_');
  return sliceHead(plain, 64) || 'agent';
}
