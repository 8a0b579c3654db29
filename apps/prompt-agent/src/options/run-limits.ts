import type { RunLimits } from '@kernel/agent';
import type { TokenPrices } from '@kernel/agent/config';
import { costOf } from '@kernel/providers';
import { usageError } from '../usage-error.ts';
import type { Flags } from './flags.ts';
import { pricesOf } from './price.ts';

/** What the config says of limits. */
export interface ConfiguredLimits {
  /** How many turns. */
  readonly turns?: number | undefined;
  /** What tokens cost. */
  readonly prices?: TokenPrices | undefined;
}

const UNITS: ReadonlyMap<string, number> = new Map([
  ['ms', 1],
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
]);

/** The limits of a run: `--max-turns`, `--max-cost` and `--max-time`, else those of the config. Throws a usage error that names the flag. */
export function runLimits(flags: Flags, configured: ConfiguredLimits): RunLimits {
  checkTurns(flags);
  const prices = pricesOf(flags, configured.prices);
  const max = costLimit(flags);
  const timeMs = timeLimit(flags);
  if (max !== undefined && prices === undefined)
    throw usageError('--max-cost needs --price IN,OUT, or model.prices in the config: the program knows no prices.');
  return {
    turns: turnLimit(flags, configured.turns),
    ...(timeMs === undefined ? {} : { timeMs }),
    ...(max === undefined || prices === undefined ? {} : { cost: { max, of: (usage) => costOf(usage, prices) } }),
  };
}

/** Checks how the limits are written. Throws a usage error that names the flag. */
export function checkLimits(flags: Flags): void {
  checkTurns(flags);
  pricesOf(flags, undefined);
  costLimit(flags);
  timeLimit(flags);
}

function checkTurns({ 'max-turns': turns, 'max-iterations': iterations }: Flags): void {
  if (turns !== undefined && !/^\d{1,6}$/.test(turns))
    throw usageError(`--max-turns "${turns}" must be a whole number, or 0 for no limit.`);
  if (iterations !== undefined && !/^(?:-1|\d{1,6})$/.test(iterations))
    throw usageError(`--max-iterations "${iterations}" must be -1 or a whole number.`);
}

function costLimit({ 'max-cost': max }: Flags): number | undefined {
  if (max === undefined) return undefined;
  if (!/^\d{1,9}(?:\.\d{1,9})?$/.test(max)) throw usageError(`--max-cost "${max}" must be an amount, such as 0.50.`);
  return Number(max);
}

/** `--max-turns`, else `--max-iterations` (-1 keeps the config), else the config, else the default. 0 means no limit. */
function turnLimit(flags: Flags, configured: number | undefined): number | undefined {
  const given = flags['max-turns'] ?? flags['max-iterations'];
  return given === undefined || given === '-1' ? configured : Number(given);
}

/** A time such as `90s`, `5m` or `1h`, in milliseconds; a number alone means seconds. */
function timeLimit({ 'max-time': time }: Flags): number | undefined {
  if (time === undefined) return undefined;
  const [, amount, unit = 's'] = /^(\d{1,6}(?:\.\d{1,3})?)(ms|s|m|h)?$/.exec(time) ?? [];
  const factor = UNITS.get(unit);
  if (amount === undefined || factor === undefined || Number(amount) === 0)
    throw usageError(`--max-time "${time}" must be a time, such as 90s, 5m or 1h.`);
  return Number(amount) * factor;
}
