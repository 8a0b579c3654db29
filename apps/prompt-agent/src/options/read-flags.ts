import { usageError } from '../exit-code.ts';
import { type FlagName, type Flags, specOf } from './flags.ts';

/** The flags of a command line as they were written; a switch is true. */
export type Given = ReadonlyMap<FlagName, true | string | readonly string[]>;

/** Reads the values of flags that a command knows. Throws a usage error for a wrong one, and for flags that do not go together. */
export function readFlags(given: Given, known: readonly FlagName[]): Flags {
  const values = new Map<FlagName, unknown>();
  const aliases = new Map<string, unknown>();
  for (const [name, text] of given) {
    const { aliasOf } = specOf(name);
    const value = typeof text === 'string' ? valueOf(name, text) : text;
    if (aliasOf === undefined) values.set(name, value);
    else if (value !== null) aliases.set(aliasOf, value);
  }
  for (const name of given.keys()) checkBeside(name, given, known);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each value is of the type that its flag has
  return Object.fromEntries([...aliases, ...values]) as Flags;
}

/** Checks that a flag has beside it what it needs, as far as the command takes that, and nothing that excludes it. */
function checkBeside(name: FlagName, given: Given, known: readonly FlagName[]): void {
  const { excludes = {}, needs } = specOf(name);
  for (const [other, why] of Object.entries(excludes))
    if (known.some((each) => each === other && given.has(each)))
      throw usageError(`--${name} and --${other} exclude each other${why === '' ? '' : `: ${why}`}.`);
  if (needs === undefined) return;
  const [needed, why] = needs;
  const [flag, value] = needed.split(' ');
  const takes = known.find((each) => each === flag);
  if (takes === undefined) return;
  const isThere = value === undefined ? given.has(takes) : given.get(takes) === value;
  if (!isThere) throw usageError(`--${name} needs --${needed}${why === '' ? '' : `, ${why}`}.`);
}

/** Reads the value of a flag. Throws a usage error that says what it must be. */
function valueOf(name: FlagName, text: string): unknown {
  const { isList, oneOf, read = (item: string) => item, refusal } = specOf(name);
  const values = (isList === true ? text.split(',') : [text]).map((item) => {
    const value = oneOf === undefined || oneOf.includes(item) ? read(item) : undefined;
    if (value !== undefined) return value;
    throw usageError(`--${name} "${item}" ${refusal ?? `is unknown; it is one of ${oneOf?.join(', ')}`}.`);
  });
  return isList === true ? values : values[0];
}
