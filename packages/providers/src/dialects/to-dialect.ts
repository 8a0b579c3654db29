import type { JsonSchema, JsonValue, Tool } from '@kernel/protocol';
import { type Dialect, DIALECTS } from './dialects.ts';
import { joinAllOf, joinRootUnion } from './flatten.ts';
import { restoreAbsent } from './restore.ts';
import { type DialectLoss, rewrite } from './rewrite.ts';
import { followRefs } from './schema-node.ts';

/** A schema as a wire takes it, the way back for arguments, and what the wire cannot say. */
export interface DialectSchema {
  /** The given schema itself where nothing had to change. */
  readonly schema: JsonSchema;
  /** Turns arguments that follow `schema` into ones that follow the tool's own. Returns other values as they are. */
  restore(args: JsonValue): JsonValue;
  readonly losses: readonly DialectLoss[];
}

/** Writes a tool's schema in a wire's dialect. The root becomes an object schema without unions, which every wire asks for. */
export function toDialect(schema: JsonSchema, dialect: Dialect): DialectSchema {
  const rules = DIALECTS[dialect];
  const losses: DialectLoss[] = [];
  const lose = (keyword: string, message: string): void => void losses.push({ path: `/${keyword}`, keyword, message });
  let root = flatRoot(schema, lose);
  if (rules.keywords !== 'all' || (rules.inlineRefs && JSON.stringify(root).includes('"$ref"'))) {
    root = rewrite(root, '', { rules, root: schema, losses, inside: ['#'] });
    if (rules.inlineRefs) {
      const { $defs: _, definitions: _definitions, ...plain } = root;
      root = plain;
    }
    if (root['type'] === undefined) root = { type: 'object', ...root };
  }
  const restore = rules.allRequired
    ? (args: JsonValue) => restoreAbsent(schema, schema, args)
    : (args: JsonValue) => args;
  return Object.freeze({ schema: root, restore, losses: Object.freeze(losses) });
}

const cache = new WeakMap<Tool, Map<Dialect, DialectSchema>>();

/** The same for a tool's parameters, once per tool object and dialect. */
export function toolDialect(tool: Tool, dialect: Dialect): DialectSchema {
  const known = cache.get(tool) ?? new Map<Dialect, DialectSchema>();
  cache.set(tool, known);
  const found = known.get(dialect) ?? toDialect(tool.parameters, dialect);
  known.set(dialect, found);
  return found;
}

function flatRoot(schema: JsonSchema, lose: (keyword: string, message: string) => void): JsonSchema {
  let root = schema;
  if (typeof root['$ref'] === 'string') {
    const { $ref: _, ...beside } = root;
    root = { ...followRefs(schema, root), ...beside };
  }
  if (Object.hasOwn(root, 'allOf')) root = joinAllOf(root, root, lose);
  for (const keyword of ['anyOf', 'oneOf'] as const) {
    if (Object.hasOwn(root, keyword)) root = joinRootUnion(root, keyword, lose);
  }
  for (const keyword of ['not', 'enum', 'if', 'then', 'else']) {
    if (!Object.hasOwn(root, keyword)) continue;
    const { [keyword]: _, ...rest } = root;
    root = rest;
    lose(keyword, 'is left out: no wire takes it at the root');
  }
  return root['type'] === 'object' || root['type'] === undefined ? root : { ...root, type: 'object' };
}
