import type { RunLimits } from '@kernel/agent';
import type { AgentConfig, TokenPrices } from '@kernel/agent/config';
import { costOf } from '@kernel/providers';
import { usageError } from '../exit-code.ts';
import type { Flags } from './flags.ts';

const UNITS: ReadonlyMap<string, number> = new Map([
  ['ms', 1],
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
  ['w', 604_800_000],
]);

/** The limits of a run: `--max-turns`, `--max-cost` and `--max-time`, else those of the config. Throws a usage error that names the flag. */
export function runLimits(flags: Flags, { maxIterations, model }: AgentConfig): RunLimits {
  checkTurns(flags);
  const prices = pricesOf(flags, model.prices);
  const max = costLimit(flags);
  const timeMs = timeLimit(flags);
  if (max !== undefined && prices === undefined)
    throw usageError('--max-cost needs --price IN,OUT, or model.prices in the config: the program knows no prices.');
  return {
    turns: turnLimit(flags, maxIterations),
    ...(timeMs === undefined ? {} : { timeMs }),
    ...(max === undefined || prices === undefined ? {} : { cost: { max, of: (usage) => costOf(usage, prices) } }),
  };
}

export function checkLimits(flags: Flags): void {
  checkTurns(flags);
  pricesOf(flags, undefined);
  costLimit(flags);
  timeLimit(flags);
}

/** The parts of a flag's value that a pattern captures; undefined without the flag. Throws a usage error that says what the value must be. */
function partsOf(flags: Flags, name: NumberFlag, pattern: RegExp, wanted: string): readonly string[] | undefined {
  const { [name]: given } = flags;
  if (given === undefined) return undefined;
  const parts = pattern.exec(given);
  if (parts === null) throw usageError(`--${name} "${given}" must be ${wanted}.`);
  return parts.slice(1);
}

type NumberFlag = 'after' | 'limit' | 'max-cost' | 'max-iterations' | 'max-time' | 'max-turns' | 'older-than' | 'price';

function checkTurns(flags: Flags): void {
  partsOf(flags, 'max-turns', /^\d{1,6}$/, 'a whole number, or 0 for no limit');
  partsOf(flags, 'max-iterations', /^(?:-1|\d{1,6})$/, '-1 or a whole number');
}

function costLimit(flags: Flags): number | undefined {
  const [max] = partsOf(flags, 'max-cost', /^(\d{1,9}(?:\.\d{1,9})?)$/, 'an amount, such as 0.50') ?? [];
  return max === undefined ? undefined : Number(max);
}

/** `--max-turns`, else `--max-iterations` (-1 keeps the config), else the config, else the default. 0 means no limit. */
function turnLimit(flags: Flags, configured: number | undefined): number | undefined {
  const given = flags['max-turns'] ?? flags['max-iterations'];
  return given === undefined || given === '-1' ? configured : Number(given);
}

/** A time such as `90s`, `5m` or `1h`, in milliseconds; a number alone means seconds. */
function timeLimit(flags: Flags): number | undefined {
  const pattern = /^(?=[\d.]*[1-9])(\d{1,6}(?:\.\d{1,3})?)(ms|s|m|h)?$/;
  const [amount, unit = 's'] = partsOf(flags, 'max-time', pattern, 'a time, such as 90s, 5m or 1h') ?? [];
  return amount === undefined ? undefined : Number(amount) * (UNITS.get(unit) ?? 1);
}

/** The age of `--older-than`, such as `30d`, in milliseconds; undefined without it. */
export function olderThan(flags: Flags): number | undefined {
  const wanted = 'a number and a unit, such as 30d: m, h, d or w';
  const [count, unit = ''] = partsOf(flags, 'older-than', /^(\d{1,5})([mhdw])$/, wanted) ?? [];
  return count === undefined ? undefined : Number(count) * (UNITS.get(unit) ?? 1);
}

/** How many rows a list has: the number of `--limit`, 50 without it; 0 means all. */
export function limitOf(flags: Flags): number {
  const [limit = 50] = partsOf(flags, 'limit', /^(\d{1,9})$/, 'a whole number, or 0 for all') ?? [];
  return Number(limit);
}

export function positionOf(flags: Flags): number {
  const [after = 0] = partsOf(flags, 'after', /^(\d{1,15})$/, 'the position of an event: a whole number') ?? [];
  return Number(after);
}

/** What tokens cost: the prices of `--price IN,OUT`, in USD for a million of them, else those of the config. Throws a usage error for a wrong flag. */
export function pricesOf(flags: Flags, configured: TokenPrices | undefined): TokenPrices | undefined {
  const pattern = /^(\d{1,6}(?:\.\d{1,9})?),(\d{1,6}(?:\.\d{1,9})?)$/;
  const wanted = 'two amounts in USD for a million tokens, in and out, such as 0.15,0.6';
  const [input, output] = partsOf(flags, 'price', pattern, wanted) ?? [];
  return input === undefined ? configured : { input: Number(input), output: Number(output) };
}

const MAX_PORT = 65_535;

/** The port of `--port`; 0 means a free one, and undefined that there is no flag. Throws a usage error for anything else. */
export function portOf({ port }: Flags): number | undefined {
  if (port === undefined) return undefined;
  if (!/^\d{1,5}$/.test(port) || Number(port) > MAX_PORT)
    throw usageError(`--port "${port}" must be a number from 0 to ${MAX_PORT}; 0 takes a free one.`);
  return Number(port);
}
