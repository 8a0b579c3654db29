import { attempt } from './error-message.ts';

/** Whether a value is an object as JSON has it: not null and not an array. */
export function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** One token of a JSON pointer, escaped: `~` as `~0` and `/` as `~1` (RFC 6901). */
export function pointerToken(key: PropertyKey): string {
  const text = String(key);
  return /[~/]/.test(text) ? text.replaceAll('~', '~0').replaceAll('/', '~1') : text;
}

/** The keys that a JSON pointer (`/a/0`) names, unescaped; none for the empty pointer, which is the whole document. */
export function parsePointer(pointer: string): readonly string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** JSON text that is the same for equal values: keys sorted, no white space. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item)).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(Object.is(value, -0) ? 0 : value) ?? 'null';
  const keys = Object.keys(value).toSorted();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key])}`).join(',')}}`;
}

/** Whether two JSON values are equal: numbers by value, objects regardless of the order of their keys. */
export function equalJson(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || typeof b !== 'object') return a === b;
  return a === b || canonicalJson(a) === canonicalJson(b);
}

/** The value of JSON text; undefined for text that is not JSON. */
export function parseJson(text: string): unknown {
  return attempt((): unknown => JSON.parse(text));
}

export function definedFields<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what is left out is undefined
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
