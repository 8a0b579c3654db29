import type { RunLimits } from '@kernel/agent';
import {
  checkKeys,
  checkNumber,
  invalidOption,
  isToolName,
  optionKeys,
  type Sandbox,
  type SandboxLimits,
  type ToolEffect,
} from '@kernel/protocol';
import type { CodeModeLimits, CodeModeOptions, ProgramValues } from './options.ts';
import { createWorkerSandbox } from './sandbox/worker-sandbox.ts';

/** The options of `withCodeMode`, complete. */
export interface CheckedOptions {
  readonly name: string;
  readonly direct: ReadonlySet<string>;
  readonly sandbox: Sandbox;
  readonly values: ProgramValues | undefined;
  /** What the sandbox limits. */
  readonly limits: SandboxLimits;
  /** What the run of a program limits. */
  readonly runLimits: Pick<RunLimits, 'parallel' | 'callsPerTool' | 'tokens' | 'cost' | 'timeMs'>;
  readonly effect: ToolEffect | undefined;
}

const KEYS = optionKeys<CodeModeOptions>({
  direct: true,
  name: true,
  sandbox: true,
  values: true,
  limits: true,
  effect: true,
});

const LIMIT_KEYS = optionKeys<CodeModeLimits>({
  memoryBytes: true,
  computeMs: true,
  stackBytes: true,
  calls: true,
  callsAtOnce: true,
  callsPerTool: true,
  outputCharacters: true,
  sleepMs: true,
  timeMs: true,
  tokens: true,
  cost: true,
});

const DEFAULT_LIMITS: SandboxLimits = {
  memoryBytes: 64 * 1024 * 1024,
  computeMs: 5000,
  stackBytes: 256 * 1024,
  calls: 1000,
  outputCharacters: 100_000,
  sleepMs: 30_000,
};

/** The largest stack that the engine can guard. */
const MAX_STACK_BYTES = 512 * 1024;

/** Checks the options and fills in the defaults. Throws `CONFIG_INVALID`. */
export function checkOptions(options: CodeModeOptions): CheckedOptions {
  checkKeys('withCodeMode', options, KEYS);
  const { direct = [], name = 'run_code', sandbox = createWorkerSandbox(), values, limits = {}, effect } = options;
  if (!Array.isArray(direct) || !direct.every((each) => typeof each === 'string'))
    throw invalidOption('withCodeMode', 'direct', 'a list of names', direct);
  if (!isToolName(name)) throw invalidOption('withCodeMode', 'name', 'a name of a tool', name);
  if (values !== undefined && (typeof values.load !== 'function' || typeof values.save !== 'function'))
    throw invalidOption('withCodeMode', 'values', 'an object with load and save', values);
  if (typeof sandbox.start !== 'function') throw invalidOption('withCodeMode', 'sandbox', 'a Sandbox', sandbox);
  checkKeys('withCodeMode', limits, LIMIT_KEYS, 'limits.');
  const { callsAtOnce: parallel = 16, callsPerTool, tokens, cost, timeMs, ...own } = limits;
  const checked: SandboxLimits = { ...DEFAULT_LIMITS, ...own };
  for (const [key, value] of Object.entries(checked))
    checkNumber('withCodeMode', `limits.${key}`, value, key === 'sleepMs' ? 0 : 1);
  if (checked.stackBytes > MAX_STACK_BYTES)
    throw invalidOption('withCodeMode', 'limits.stackBytes', `at most ${MAX_STACK_BYTES}`, checked.stackBytes);
  const runLimits = { parallel, callsPerTool, tokens, cost, timeMs };
  return { name, direct: new Set(direct), sandbox, values, limits: checked, runLimits, effect };
}
