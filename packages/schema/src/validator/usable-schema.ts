import { isObject } from '@kernel/internal';
import type { JsonSchema } from '@kernel/protocol';
import { keywordProblem } from './inspect-schema.ts';
import { KEYWORDS, metaSchemas } from './keywords.ts';
import { createPatternTest } from './pattern.ts';
import { indexSchema, isSchema, type Schema, type SchemaIndex } from './schema-index.ts';

/** Keywords that reject a value because a subschema accepts it, which one accepts too much of that has lost a part. */
const REVERSING = new Set('not if then else unevaluatedItems unevaluatedProperties maxContains'.split(' '));
/** What a keyword leaves to others: without the first, the second would reject what the first had described. */
const REST: Readonly<Record<string, readonly string[]>> = {
  properties: ['additionalProperties'],
  patternProperties: ['additionalProperties'],
  prefixItems: ['items'],
  items: ['additionalItems'],
};

// Without keywords whose values are wrong, references that lead nowhere and patterns that are no regular expressions
// here. The copy accepts everything that the schema accepts, and more.
export function usableSchema(schema: JsonSchema): JsonSchema {
  const index = indexSchema(schema, { documents: metaSchemas() });
  return relax(schema, index, isPattern);
}

type IsUsable = (pattern: string) => boolean;

function relax(schema: JsonSchema, index: SchemaIndex, isUsable: IsUsable): JsonSchema {
  const inner = (value: unknown): Schema => (isObject(value) ? relax(value, index, isUsable) : value !== false);
  const dropped = new Set<string>();
  const alternatives: unknown[] = [];
  const kept = Object.entries(schema).flatMap(([keyword, content]): (readonly [string, unknown])[] => {
    if (REVERSING.has(keyword)) return [];
    const value = relaxed(keyword, content, inner, isUsable);
    const isLost =
      keywordProblem(keyword, value) !== undefined ||
      ((keyword === '$ref' || keyword === '$dynamicRef') &&
        index.resolve(String(content), index.resourceOf(schema)) === undefined) ||
      (keyword === 'pattern' && !isUsable(String(content)));
    if (isLost || (keyword === 'patternProperties' && keysOf(value) < keysOf(content)))
      for (const rest of REST[keyword] ?? []) dropped.add(rest);
    if (isLost) return [];
    if (keyword !== 'oneOf') return [[keyword, value]];
    alternatives.push({ anyOf: value }); // of which more than one may accept a value now
    return [];
  });
  const usable = Object.fromEntries(kept.filter(([keyword]) => !dropped.has(keyword)));
  const all: unknown = usable['allOf'];
  return alternatives.length === 0
    ? usable
    : { ...usable, allOf: [...(Array.isArray(all) ? (all as unknown[]) : []), ...alternatives] };
}

/** What is no schema accepts everything. */
function relaxed(keyword: string, content: unknown, inner: (value: unknown) => Schema, isUsable: IsUsable): unknown {
  switch (KEYWORDS.get(keyword)) {
    case 'schema':
      return isSchema(content) ? inner(content) : undefined;
    case 'items':
      return Array.isArray(content) ? content.map(inner) : isSchema(content) ? inner(content) : undefined;
    case 'schemas':
      return Array.isArray(content) ? content.map(inner) : undefined;
    case 'dependencies':
    case 'schema-map': {
      if (!isObject(content)) return undefined;
      const entries = Object.entries(content).filter(([key]) => keyword !== 'patternProperties' || isUsable(key));
      return Object.fromEntries(entries.map(([key, value]) => [key, Array.isArray(value) ? value : inner(value)]));
    }
    default:
      return content;
  }
}

function keysOf(value: unknown): number {
  return isObject(value) ? Object.keys(value).length : 0;
}

function isPattern(source: string): boolean {
  try {
    createPatternTest(source);
    return true;
  } catch {
    return false;
  }
}
