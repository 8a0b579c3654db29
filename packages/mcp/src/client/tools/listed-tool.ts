import { definedFields, isObject } from '@kernel/internal';
import type { Tool as ListedTool } from '@modelcontextprotocol/client';
import { isEmptyList, KEYWORDS_OF_DATA, KEYWORDS_OF_NAMES } from './repair-schema.ts';

/** An entry of a list that is not a tool: its name, if it has one, and what is wrong with it. */
export interface UnusableEntry {
  readonly name: string | undefined;
  /** What is wrong, to follow "cannot be used: ". */
  readonly fault: string;
}

const HINTS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const;

/** Reads an entry of `tools/list`, without what nothing here uses. The SDK's own schema would refuse the whole list for one bad entry. Takes time in proportion to the number of members. */
export function readListedTool(entry: unknown): ListedTool | UnusableEntry {
  if (!isObject(entry)) return { name: undefined, fault: `it is ${kindOf(entry)}, not an object` };
  const { name, inputSchema } = entry;
  if (typeof name !== 'string') return { name: undefined, fault: `its name is ${kindOf(name)}, not a string` };
  const fault = (what: string, value: unknown, wanted: string): UnusableEntry => ({
    name,
    fault: `its ${what} is ${kindOf(value)}, not ${wanted}`,
  });
  // Servers write null, and those in PHP an empty array, for what they leave out.
  const read = (key: string): unknown => (isEmptyList(entry[key]) ? undefined : (entry[key] ?? undefined));
  const [title, description] = [read('title'), read('description')];
  const [outputSchema, annotations, _meta] = [read('outputSchema'), read('annotations'), read('_meta')];
  for (const [key, value] of Object.entries({ title, description }))
    if (value !== undefined && typeof value !== 'string') return fault(key, value, 'a string');
  for (const [key, value] of Object.entries({ outputSchema, annotations, _meta }))
    if (value !== undefined && !isObject(value)) return fault(key, value, 'an object');
  if (!isObject(inputSchema ?? {}) && !isEmptyList(inputSchema)) return fault('inputSchema', inputSchema, 'an object');
  const hints: Record<string, unknown> = {};
  for (const key of ['title', ...HINTS]) {
    const value = (isObject(annotations) ? annotations[key] : undefined) ?? undefined;
    const wanted = key === 'title' ? 'string' : 'boolean';
    if (value !== undefined && typeof value !== wanted) return fault(`annotation ${key}`, value, `a ${wanted}`);
    if (value !== undefined) hints[key] = value;
  }
  const hinted = annotations === undefined ? undefined : hints;
  const present = definedFields({ title, description, outputSchema, _meta, annotations: hinted });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- checked member by member above
  return { name, inputSchema: inputSchema ?? {}, ...present } as ListedTool;
}

function kindOf(value: unknown): string {
  if (value === undefined) return 'absent';
  if (value === null) return 'null';
  return Array.isArray(value) ? 'an array' : `${typeof value === 'object' ? 'an' : 'a'} ${typeof value}`;
}

const KEY = 'x-mcp-header';
/** A token of RFC 9110. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const TYPES: ReadonlySet<unknown> = new Set(['string', 'integer', 'boolean']);

/**
 * Returns why the parameters that a schema wants sent as HTTP headers (`x-mcp-header`, SEP-2243) cannot be, or
 * undefined. A client must not use such a tool. An annotation may stand on a property that a chain of `properties`
 * leads to, and nowhere else.
 */
export function findHeaderFault(schema: unknown): string | undefined {
  const names = new Set<string>();
  const visit = (node: unknown, isReachable: boolean, isSchema: boolean): string | undefined => {
    if (Array.isArray(node)) return firstOf(node, (each) => visit(each, false, true));
    if (!isObject(node)) return undefined;
    const fault = isSchema && KEY in node ? faultOf(node, isReachable) : undefined;
    if (fault !== undefined) return fault;
    return firstOf(Object.entries(node), ([key, value]) => {
      if (isSchema && KEYWORDS_OF_DATA.has(key)) return undefined;
      const areProperties = isSchema && key === 'properties';
      return visit(value, isReachable && (areProperties || !isSchema), !(isSchema && KEYWORDS_OF_NAMES.has(key)));
    });
  };
  const faultOf = (node: Readonly<Record<string, unknown>>, isReachable: boolean): string | undefined => {
    const name = node[KEY];
    if (!isReachable || node === schema) return `its inputSchema has an ${KEY} outside of its properties`;
    if (typeof name !== 'string' || !TOKEN.test(name))
      return `its inputSchema has an ${KEY} that is no name of a header`;
    if (!TYPES.has(node['type'])) return `its ${KEY} "${name}" is not on a string, an integer or a boolean`;
    if (names.has(name.toLowerCase())) return `its inputSchema has the ${KEY} "${name}" twice`;
    names.add(name.toLowerCase());
    return undefined;
  };
  return visit(schema, true, true);
}

function firstOf<T>(items: readonly T[], find: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
