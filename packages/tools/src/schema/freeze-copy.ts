import { KernelError } from '@kernel/protocol';
import { escapeToken } from './check.ts';

/** How large a definition may be: far above anything a model could read. */
const MAX_DEPTH = 128;
const MAX_NODES = 100_000;
const MAX_TEXT = 4_000_000;

/**
 * Returns a frozen deep copy of plain data, `undefined` members left out. The original stays as it was.
 *
 * Throws `TOOL_SCHEMA_INVALID` with a JSON pointer for what JSON cannot hold and for data that is too deep or too large.
 */
export function freezeCopy(value: unknown, what: string): unknown {
  const count = { nodes: 0, text: 0 };
  const copy = (item: unknown, at: string, depth: number): unknown => {
    count.nodes += 1;
    if (typeof item === 'string') count.text += item.length;
    if (depth > MAX_DEPTH) throw invalid(what, at, `is nested more than ${MAX_DEPTH} levels deep`);
    if (count.nodes > MAX_NODES || count.text > MAX_TEXT) throw invalid(what, at, 'is too large to be sent to a model');
    if (item === null || typeof item === 'string' || typeof item === 'boolean') return item;
    if (typeof item === 'number' && Number.isFinite(item)) return item;
    if (Array.isArray(item)) {
      return Object.freeze(item.map((entry: unknown, index) => copy(entry, `${at}/${index}`, depth + 1)));
    }
    if (typeof item !== 'object' || !isPlain(item))
      throw invalid(what, at, `is ${nameOf(item)}, which JSON cannot hold`);
    const entries = Object.entries(item).filter(([, entry]) => entry !== undefined);
    for (const [key] of entries) count.text += key.length;
    const copied = entries.map(([key, entry]): [string, unknown] => [
      key,
      copy(entry, `${at}/${escapeToken(key)}`, depth + 1),
    ]);
    // fromEntries defines own properties, so that a key "__proto__" stays a key.
    return Object.freeze(Object.fromEntries(copied));
  };
  return copy(value, '', 0);
}

/** The error for a wrong definition: which tool, which part, where, and what is wrong there. */
export function invalid(what: string, pointer: string, problem: string, hint?: string): KernelError {
  return new KernelError('TOOL_SCHEMA_INVALID', `${what}: "${pointer === '' ? '/' : pointer}" ${problem}.`, {
    data: { pointer },
    ...(hint === undefined ? {} : { hint }),
  });
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null;
}

function nameOf(value: unknown): string {
  if (typeof value === 'object' && value !== null) return `a ${value.constructor.name}`;
  return typeof value === 'number' ? `${value}` : `a ${typeof value}`;
}
