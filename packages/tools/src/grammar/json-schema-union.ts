import type { JsonSchema, Tool } from '@kernel/protocol';

/**
 * Returns a JSON Schema of one call `{"name", "arguments"}` of any of the tools, for servers that take a schema (`guided_json`, `format`)
 * instead of a grammar. Parameters move to `$defs` under the tool's name, and their references are rewritten.
 */
export function toJsonSchemaUnion(tools: readonly Tool[]): JsonSchema {
  const definitions = tools.map((tool) => [tool.name, rebase(tool.parameters, `#/$defs/${tool.name}`)] as const);
  return {
    anyOf: tools.map((tool) => ({
      type: 'object',
      properties: { name: { const: tool.name }, arguments: { $ref: `#/$defs/${tool.name}` } },
      required: ['name', 'arguments'],
      additionalProperties: false,
    })),
    $defs: Object.fromEntries(definitions),
  };
}

/** Rewrites the local references of a schema for its new location. A schema with `$id` keeps its references. */
function rebase(value: unknown, location: string): unknown {
  if (Array.isArray(value)) return value.map((item) => rebase(item, location));
  if (typeof value !== 'object' || value === null || '$id' in value) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      const isReference = key === '$ref' && typeof item === 'string' && (item === '#' || item.startsWith('#/'));
      return [key, isReference ? `${location}${item.slice(1)}` : rebase(item, location)];
    }),
  );
}
