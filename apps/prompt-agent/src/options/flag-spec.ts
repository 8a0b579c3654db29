import type { AgentConfig } from '@kernel/agent/config';

/** What `ask` does: `agent` without `--protocol`, otherwise one raw call. */
export type Mode = 'agent' | 'chat' | 'vision' | 'tools' | 'embeddings' | 'audio';

/** All that the program knows of a flag, but for what it does. */
export interface FlagSpec {
  readonly short?: string;
  /** Whether it can be given more than once; its value is then a list. */
  readonly multiple?: boolean;
  /** The placeholder of its value in the help; absent for a switch, which takes none. */
  readonly value?: string;
  readonly help: string;
  /** The values that it can have. */
  readonly oneOf?: readonly string[];
  /** Whether its value is a list, separated by commas. */
  readonly isList?: true;
  /** Reads its value; undefined for one that is refused. */
  readonly read?: (given: string) => unknown;
  /** Why a value is refused: a sentence that begins with the flag and the value. */
  readonly refusal?: string;
  /** The flag that it has no effect without, with its value if only one will do, and why. */
  readonly needs?: readonly [flag: string, why: string];
  /** The flags that it cannot be given with, each with the reason. */
  readonly excludes?: Readonly<Record<string, string>>;
  /** The flag that this is another name for. It is used if that one is not given; a value that reads as null leaves it out. */
  readonly aliasOf?: string;
  /** The modes of `ask` in which it has an effect. Default: all. */
  readonly modes?: readonly Mode[];
  /** Whether it has no effect without a model. */
  readonly needsModel?: true;
  /** The setting of the config that it comes before: `config show` prints it. */
  readonly setting?: Setting;
}

export type FlagTable = Readonly<Record<string, FlagSpec>>;

/** The modes that answer with text. */
export const TEXT = ['agent', 'chat', 'vision', 'tools'] as const satisfies readonly Mode[];
export const AGENT = ['agent'] as const satisfies readonly Mode[];

export interface Setting {
  readonly name: string;
  /** What the config says. */
  readonly of: (config: AgentConfig) => string | number | undefined;
  /** What counts if neither the flag nor the config says anything, for people. */
  readonly otherwise: string;
}

const UNITS: ReadonlyMap<string, number> = new Map([
  ['ms', 1],
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
  ['w', 604_800_000],
]);

/** Returns a reader of whole numbers with at most so many digits. */
export function wholeNumber(digits: number): (given: string) => number | undefined {
  return (given) => (/^\d+$/.test(given) && given.length <= digits ? Number(given) : undefined);
}

/** Reads an amount of money. */
export function amount(given: string): number | undefined {
  return /^\d{1,9}(?:\.\d{1,9})?$/.test(given) ? Number(given) : undefined;
}

/** Reads a time such as `90s`, `5m` or `1h` as milliseconds; a number alone means seconds, and none is zero. */
export function time(given: string): number | undefined {
  const [, count, unit = 's'] = /^(?=[\d.]*[1-9])(\d{1,6}(?:\.\d{1,3})?)(ms|s|m|h)?$/.exec(given) ?? [];
  return count === undefined ? undefined : Number(count) * (UNITS.get(unit) ?? 1);
}

/** Reads an age such as `30d` as milliseconds: a length of time, in which a day is 24 hours, and no date. */
export function age(given: string): number | undefined {
  const [, count, unit = ''] = /^(\d{1,5})([mhdw])$/.exec(given) ?? [];
  return count === undefined ? undefined : Number(count) * (UNITS.get(unit) ?? 1);
}

/** Reads what a million tokens cost, in and out. */
export function prices(given: string): { readonly input: number; readonly output: number } | undefined {
  const [, input, output] = /^(\d{1,6}(?:\.\d{1,9})?),(\d{1,6}(?:\.\d{1,9})?)$/.exec(given) ?? [];
  return input === undefined ? undefined : { input: Number(input), output: Number(output) };
}

const MAX_PORT = 65_535;

export function port(given: string): number | undefined {
  return /^\d{1,5}$/.test(given) && Number(given) <= MAX_PORT ? Number(given) : undefined;
}
