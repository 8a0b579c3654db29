import type { JsonSchema, Tool } from '@kernel/protocol';

/**
 * Returns a JSON Schema of one call `{"name", "arguments"}` of any of the tools: for servers that take a schema (`guided_json`,
 * `format`) and no grammar. Definitions move to the root under the tool's name; references follow.
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

/** Moves local references of a schema to where it will stand. A schema with an address of its own keeps its references. */
function rebase(value: unknown, to: string): unknown {
  if (Array.isArray(value)) return value.map((item) => rebase(item, to));
  if (typeof value !== 'object' || value === null || '$id' in value) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      const isReference = key === '$ref' && typeof item === 'string' && (item === '#' || item.startsWith('#/'));
      return [key, isReference ? `${to}${item.slice(1)}` : rebase(item, to)];
    }),
  );
}
