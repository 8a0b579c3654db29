import { isObject } from '@kernel/internal';
import { KEYWORDS_OF_DATA, KEYWORDS_OF_NAMES } from './remote-tool.ts';

const KEY = 'x-mcp-header';
/** A token of RFC 9110. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const TYPES: ReadonlySet<unknown> = new Set(['string', 'integer', 'boolean']);

/**
 * Returns why the parameters that a schema wants sent as HTTP headers (`x-mcp-header`, SEP-2243) cannot be, or undefined. A client must not use such
 * a tool. An annotation may stand on a property that a chain of `properties` leads to, and nowhere else.
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
