import { pointerToken } from '@kernel/internal';
import type { JsonSchema, ProviderWarning, ResponseFormat } from '@kernel/protocol';
import { isSchema } from './schema-node.ts';

export interface StrictGap {
  readonly path: string;
  readonly message: string;
}

const REFUSED_KEYWORDS =
  'oneOf allOf not if dependentRequired dependentSchemas patternProperties propertyNames prefixItems'.split(' ');

/** Structured outputs need every object closed and every property required, and refuse some keywords. */
export function strictGap(schema: JsonSchema, path = ''): StrictGap | undefined {
  for (const keyword of REFUSED_KEYWORDS) {
    if (Object.hasOwn(schema, keyword))
      return { path: `${path}/${keyword}`, message: `"${keyword}" is not allowed in strict mode` };
  }
  return objectGap(schema, path) ?? nestedGap(schema, path);
}

function objectGap(schema: JsonSchema, path: string): StrictGap | undefined {
  const properties = schema['properties'];
  const types = [schema['type']].flat();
  if (!types.includes('object') && properties === undefined) return undefined;
  if (schema['additionalProperties'] !== false) {
    return { path, message: 'an object must have additionalProperties: false in strict mode' };
  }
  const required = new Set([schema['required'] ?? []].flat());
  const missing = Object.keys(isSchema(properties) ? properties : {}).find((name) => !required.has(name));
  return missing === undefined
    ? undefined
    : { path: `${path}/properties/${pointerToken(missing)}`, message: `"${missing}" must be required in strict mode` };
}

function nestedGap(schema: JsonSchema, path: string): StrictGap | undefined {
  for (const keyword of ['properties', '$defs', 'definitions']) {
    const map = schema[keyword];
    if (!isSchema(map)) continue;
    for (const [name, inner] of Object.entries(map)) {
      const gap = isSchema(inner) ? strictGap(inner, `${path}/${keyword}/${pointerToken(name)}`) : undefined;
      if (gap !== undefined) return gap;
    }
  }
  const items = schema['items'];
  const inItems = isSchema(items) ? strictGap(items, `${path}/items`) : undefined;
  if (inItems !== undefined) return inItems;
  const branches = schema['anyOf'];
  if (!Array.isArray(branches)) return undefined;
  for (const [at, branch] of branches.entries()) {
    const gap = isSchema(branch) ? strictGap(branch, `${path}/anyOf/${at}`) : undefined;
    if (gap !== undefined) return gap;
  }
  return undefined;
}

/** A format for a reply, in strict mode if it asks for that and qualifies; else with a warning. */
export function strictFormat({ name, schema, strict }: ResponseFormat) {
  const gap = strict === true ? strictGap(schema) : undefined;
  const warnings: readonly ProviderWarning[] =
    gap === undefined ? [] : [{ message: `response format without strict mode: ${gap.message}`, path: gap.path }];
  return { format: { name, schema, strict: strict === true && gap === undefined }, warnings };
}
