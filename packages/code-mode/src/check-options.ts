import type { RunLimits } from '@kernel/agent';
import { MAX_TIMER_MS } from '@kernel/internal';
import {
  checkChoice,
  checkKeys,
  checkNumber,
  invalidOption,
  isToolName,
  optionKeys,
  type Sandbox,
  type SandboxLimits,
  type Tool,
  type ToolEffect,
} from '@kernel/protocol';
import type { CodeModeLimits, CodeModeOptions, ProgramValues } from './options.ts';
import { createWorkerSandbox } from './sandbox/worker-sandbox.ts';

/** The effects of tools, the weakest first. */
const EFFECTS: readonly ToolEffect[] = ['read', 'idempotent', 'write', 'external'];

/** The strongest effect of some tools. A tool that says nothing, or what is not an effect, is `external`. */
export function strongestEffect(tools: readonly Tool[]): ToolEffect {
  const others = EFFECTS.filter((effect) => effect !== 'external');
  const isExternal = tools.some(({ effect }) => !others.some((other) => other === effect));
  if (isExternal) return 'external';
  return others.findLast((each) => tools.some(({ effect }) => effect === each)) ?? 'read';
}

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

/** What WebAssembly can address. */
const MAX_MEMORY_BYTES = 2 ** 32 - 1;

/** The largest stack that the engine can guard. */
const MAX_STACK_BYTES = 512 * 1024;

/** Checks the options and fills in the defaults. Throws `CONFIG_INVALID`. */
export function checkOptions(options: CodeModeOptions): CheckedOptions {
  checkKeys('withCodeMode', options, KEYS);
  const { direct = [], name = 'run_code', sandbox = sharedSandbox(), values, limits = {}, effect } = options;
  if (!Array.isArray(direct) || !direct.every((each) => typeof each === 'string'))
    throw invalidOption('withCodeMode', 'direct', 'a list of names', direct);
  if (!isToolName(name)) throw invalidOption('withCodeMode', 'name', 'a name of a tool', name);
  if (values !== undefined && !(hasMethod(values, 'load') && hasMethod(values, 'save')))
    throw invalidOption('withCodeMode', 'values', 'an object with load and save', values);
  if (!hasMethod(sandbox, 'start')) throw invalidOption('withCodeMode', 'sandbox', 'a Sandbox', sandbox);
  checkChoice('withCodeMode', 'effect', effect, EFFECTS);
  return { name, direct: new Set(direct), sandbox, values, effect, ...checkLimits(limits) };
}

function checkLimits(limits: CodeModeLimits): Pick<CheckedOptions, 'limits' | 'runLimits'> {
  checkKeys('withCodeMode', limits, LIMIT_KEYS, 'limits.');
  const { callsAtOnce: parallel = 16, callsPerTool, tokens, cost, timeMs } = limits;
  if (cost !== undefined && !hasMethod(cost, 'of'))
    throw invalidOption('withCodeMode', 'limits.cost.of', 'a function of the usage', Reflect.get(cost, 'of'));
  for (const [key, value] of Object.entries({ callsAtOnce: parallel, callsPerTool, tokens, timeMs }))
    if (value !== undefined && !(value >= 1 && (Number.isInteger(value) || value === Infinity)))
      throw invalidOption('withCodeMode', `limits.${key}`, 'a whole number from 1', value);
  if (cost !== undefined && !(cost.max > 0))
    throw invalidOption('withCodeMode', 'limits.cost.max', 'a number above 0', cost.max);
  const limitOf = (key: keyof SandboxLimits, min = 1, max = Number.MAX_SAFE_INTEGER): number => {
    const value = limits[key] ?? DEFAULT_LIMITS[key];
    checkNumber('withCodeMode', `limits.${key}`, value, min);
    return Math.min(value, max);
  };
  const { stackBytes = 0 } = limits;
  if (stackBytes > MAX_STACK_BYTES)
    throw invalidOption('withCodeMode', 'limits.stackBytes', `at most ${MAX_STACK_BYTES}`, stackBytes);
  return {
    runLimits: { parallel, callsPerTool, tokens, cost, timeMs },
    limits: {
      memoryBytes: limitOf('memoryBytes', 1, MAX_MEMORY_BYTES),
      computeMs: limitOf('computeMs', 1, MAX_TIMER_MS),
      stackBytes: limitOf('stackBytes'),
      calls: limitOf('calls'),
      outputCharacters: limitOf('outputCharacters'),
      sleepMs: limitOf('sleepMs', 0, MAX_TIMER_MS),
    },
  };
}

function hasMethod(value: unknown, name: string): boolean {
  return typeof value === 'object' && value !== null && typeof Reflect.get(value, name) === 'function';
}

let shared: Sandbox | undefined;

/** The default sandbox, one for all toolsets of a process: a worker that is kept for each would never end. */
function sharedSandbox(): Sandbox {
  return (shared ??= createWorkerSandbox());
}
