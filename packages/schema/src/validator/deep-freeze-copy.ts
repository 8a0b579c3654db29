import { pointerToken } from '@kernel/internal';
import { KernelError } from '@kernel/protocol';

/** Limits of a definition, far beyond anything a model could read. */
const MAX_DEPTH = 128;
const MAX_NODES = 100_000;
const MAX_TEXT = 4_000_000;

/**
 * Returns a frozen deep copy of plain data, without `undefined` members. Does not change the original.
 *
 * Throws `TOOL_SCHEMA_INVALID` with a JSON pointer for values that JSON cannot represent and for data that is too deep or too large. `subject` names
 * the definition in the error.
 */
export function deepFreezeCopy(value: unknown, subject: string): unknown {
  const count = { nodes: 0, text: 0 };
  const copy = (item: unknown, pointer: string, depth: number): unknown => {
    count.nodes += 1;
    if (typeof item === 'string') count.text += item.length;
    if (depth > MAX_DEPTH) throw invalidSchema(subject, pointer, `is nested more than ${MAX_DEPTH} levels deep`);
    if (count.nodes > MAX_NODES || count.text > MAX_TEXT)
      throw invalidSchema(subject, pointer, 'is too large to send to a model');
    if (item === null || typeof item === 'string' || typeof item === 'boolean') return item;
    if (typeof item === 'number' && Number.isFinite(item)) return item;
    if (Array.isArray(item)) {
      return Object.freeze(item.map((entry: unknown, index) => copy(entry, `${pointer}/${index}`, depth + 1)));
    }
    if (typeof item !== 'object' || !isPlain(item))
      throw invalidSchema(subject, pointer, `is ${nameOf(item)}, which JSON cannot represent`);
    const entries = Object.entries(item).filter(([, entry]) => entry !== undefined);
    for (const [key] of entries) count.text += key.length;
    const copied = entries.map(([key, entry]): [string, unknown] => [
      key,
      copy(entry, `${pointer}/${pointerToken(key)}`, depth + 1),
    ]);
    // fromEntries defines own properties: a key "__proto__" stays a key.
    return Object.freeze(Object.fromEntries(copied));
  };
  return copy(value, '', 0);
}

/** The error for an invalid definition: which tool and part, where, and what is wrong there. */
export function invalidSchema(subject: string, pointer: string, problem: string, hint?: string): KernelError {
  return new KernelError('TOOL_SCHEMA_INVALID', `${subject}: "${pointer === '' ? '/' : pointer}" ${problem}.`, {
    data: { pointer },
    ...(hint === undefined ? {} : { hint }),
  });
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null;
}

function nameOf(value: unknown): string {
  if (typeof value === 'number' || value === undefined) return `${value}`;
  if (typeof value !== 'object' || value === null) return `a ${typeof value}`;
  const { constructor }: { constructor: unknown } = value;
  return typeof constructor === 'function' && constructor.name !== ''
    ? `a ${constructor.name}`
    : 'an instance of a class';
}
