import type { TokenPrices } from '@kernel/agent/config';
import type { RunLimits } from '@kernel/agent';
import { costOf } from '@kernel/providers';
import { usageError } from '../exit-code.ts';
import type { Flags } from './flags.ts';

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
  ['d', 86_400_000],
  ['w', 604_800_000],
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

const MAX_PORT = 65_535;

/** The port of `--port`; 0 means a free one, and undefined that there is no flag. Throws a usage error for anything else. */
export function portOf({ port }: Flags): number | undefined {
  if (port === undefined) return undefined;
  if (!/^\d{1,5}$/.test(port) || Number(port) > MAX_PORT)
    throw usageError(`--port "${port}" must be a number from 0 to ${MAX_PORT}; 0 takes a free one.`);
  return Number(port);
}

/** What tokens cost: the prices of `--price IN,OUT`, in USD for a million of them, else those of the config. Throws a usage error for a wrong flag. */
export function pricesOf({ price }: Flags, configured: TokenPrices | undefined): TokenPrices | undefined {
  if (price === undefined) return configured;
  const [, input, output] = /^(\d{1,6}(?:\.\d{1,9})?),(\d{1,6}(?:\.\d{1,9})?)$/.exec(price) ?? [];
  if (input === undefined || output === undefined)
    throw usageError(
      `--price "${price}" must be two amounts in USD for a million tokens, in and out, such as 0.15,0.6.`,
    );
  return { input: Number(input), output: Number(output) };
}

/** How many rows a list has: the number of `--limit`, 50 without it; 0 means all. */
export function limitOf({ limit }: Flags): number {
  if (limit !== undefined && !/^\d{1,9}$/.test(limit))
    throw usageError(`--limit "${limit}" must be a whole number, or 0 for all.`);
  return Number(limit ?? 50);
}

/** The position of an event that `--after` gives; 0 without it. */
export function positionOf({ after }: Flags): number {
  if (after !== undefined && !/^\d{1,15}$/.test(after))
    throw usageError(`--after "${after}" must be the position of an event: a whole number.`);
  return Number(after ?? 0);
}

/** The age of `--older-than`, such as `30d`, in milliseconds; undefined without it. */
export function olderThan({ 'older-than': age }: Flags): number | undefined {
  if (age === undefined) return undefined;
  const [, count = '', unit = ''] = /^(\d{1,5})([mhdw])$/.exec(age) ?? [];
  const unitMs = UNITS.get(unit);
  if (unitMs === undefined)
    throw usageError(`--older-than "${age}" must be a number and a unit, such as 30d: m, h, d or w.`);
  return Number(count) * unitMs;
}
