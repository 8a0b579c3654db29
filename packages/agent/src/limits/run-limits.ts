import {
  checkChoice,
  checkKeys,
  checkNumber,
  invalidOption,
  KernelError,
  optionKeys,
  type Usage,
} from '@kernel/protocol';
import type { RepeatLimits } from './loop-guard.ts';

/** Limits of a run. A limit that is absent is off, except `turns` and `repeats`. */
export interface RunLimits {
  /** Model calls. Default 25; 0 means no limit. */
  readonly turns?: number | undefined;
  /** Calls per tool. Further calls are skipped, with results that say so. */
  readonly callsPerTool?: number | undefined;
  /** Input and output tokens of all turns together. If a reply reports no usage, it is estimated from what was sent and received. */
  readonly tokens?: number | undefined;
  /** Limits what the run may cost, in any currency. */
  readonly cost?:
    | {
        /** The run ends when the cost of all its turns reaches this amount. */
        readonly max: number;
        /** Returns the cost of these tokens. */
        of(usage: Usage): number;
      }
    | undefined;
  /** Wall time of the whole run in milliseconds. */
  readonly timeMs?: number | undefined;
  /** Repeats of the same calls with the same results; false turns the guard off. */
  readonly repeats?: RepeatLimits | false | undefined;
  /** How many calls run at once. Default: all calls of a turn. */
  readonly parallel?: number | undefined;
  /**
   * What happens when a limit is reached: `stop` ends the run with reason `limit` (default), `throw` throws `LIMIT_REACHED` after the `run-end`,
   * `answer` asks the model once more, without tools, for an answer based on what is known, also where a run loops. A typed answer that does not fit
   * is corrected once.
   */
  readonly onLimit?: 'stop' | 'throw' | 'answer' | undefined;
}

const LIMIT_KEYS = optionKeys<RunLimits>({
  turns: true,
  callsPerTool: true,
  tokens: true,
  cost: true,
  timeMs: true,
  repeats: true,
  parallel: true,
  onLimit: true,
});

const COST_KEYS = optionKeys<NonNullable<RunLimits['cost']>>({ max: true, of: true });

const REPEAT_KEYS = optionKeys<RepeatLimits>({
  warn: true,
  refuse: true,
  stop: true,
  ignore: true,
  normalizeResult: true,
});

/** Throws `CONFIG_INVALID` for a limit that does not exist or is out of range. */
export function checkLimits(limits: RunLimits): void {
  checkKeys('run', limits, LIMIT_KEYS, 'limits.');
  if (limits.cost !== undefined) checkKeys('run', limits.cost, COST_KEYS, 'limits.cost.');
  checkChoice('run', 'limits.onLimit', limits.onLimit, ['stop', 'throw', 'answer']);
  if (typeof limits.cost === 'object' && typeof limits.cost.of !== 'function')
    throw invalidOption('run', 'limits.cost.of', 'a function of the usage', Reflect.get(limits.cost, 'of'));
  if (limits.repeats !== undefined && limits.repeats !== false) checkRepeats(limits.repeats);
  if (limits.cost !== undefined && !(limits.cost.max > 0))
    throw new KernelError('CONFIG_INVALID', `limits.cost.max is ${limits.cost.max}.`, {
      hint: 'Pass a number above 0.',
    });
  for (const name of ['turns', 'callsPerTool', 'tokens', 'timeMs', 'parallel'] as const) {
    const value = limits[name];
    if (value === undefined || (value >= (name === 'turns' ? 0 : 1) && (Number.isInteger(value) || value === Infinity)))
      continue;
    throw new KernelError('CONFIG_INVALID', `limits.${name} is ${value}.`, {
      hint:
        name === 'turns' ? 'Pass a whole number, or 0 for no limit.' : 'Pass a whole number from 1, or leave it out.',
    });
  }
}

function checkRepeats(repeats: RepeatLimits): void {
  checkKeys('run', repeats, REPEAT_KEYS, 'limits.repeats.');
  const { ignore, normalizeResult } = repeats;
  for (const name of ['warn', 'refuse', 'stop'] as const)
    checkNumber('run', `limits.repeats.${name}`, repeats[name], 1);
  if (ignore !== undefined && !(Array.isArray(ignore) && ignore.every((name) => typeof name === 'string')))
    throw new KernelError('CONFIG_INVALID', 'limits.repeats.ignore is not an array of strings.', {
      hint: "Pass names of argument fields: ['nonce', 'requestId'].",
    });
  if (normalizeResult !== undefined && typeof normalizeResult !== 'function')
    throw new KernelError('CONFIG_INVALID', `limits.repeats.normalizeResult is ${typeof normalizeResult}.`, {
      hint: 'Pass a function that returns what is compared of a result.',
    });
}
