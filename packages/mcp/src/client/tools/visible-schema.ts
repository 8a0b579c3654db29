import { isObject, visibleText } from '@kernel/internal';

const TEXTS: ReadonlySet<string> = new Set(['description', 'title', '$comment']);

/** A copy of a schema with visible texts. Keywords inside `enum`, `const`, `default` and `examples` are data and stay as they are. */
export function visibleSchema(schema: unknown, isMap = false): unknown {
  if (Array.isArray(schema)) return schema.map((item) => visibleSchema(item));
  if (!isObject(schema)) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => {
      if (isMap) return [key, visibleSchema(value)];
      if (TEXTS.has(key) && typeof value === 'string') return [key, visibleText(value)];
      if (DATA.has(key)) return [key, value];
      return [key, visibleSchema(value, MAPS.has(key))];
    }),
  );
}

const DATA: ReadonlySet<string> = new Set(['enum', 'const', 'default', 'examples']);
/** Keywords that map names to schemas: a property may be called `description`. */
const MAPS: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
]);
