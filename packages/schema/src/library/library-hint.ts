type Shape = Readonly<Record<string, unknown>>;

const GUIDE = 'See "Schemas of other libraries" in the guide "Write a tool".';

export function libraryHint(schema: unknown): string {
  const isSchema = (typeof schema === 'object' || typeof schema === 'function') && schema !== null;
  // The schema of a library is an object, or with ArkType and Effect a function with properties.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const line = isSchema ? lineFor(schema as Shape) : undefined;
  return line === undefined
    ? 'Use zod 4.2 or later, or another Standard Schema with "~standard.jsonSchema". A tool with a plain JSON Schema is made with `bindTool`.'
    : `${line} ${GUIDE}`;
}

function lineFor(schema: Shape): string | undefined {
  if ('_zod' in schema)
    return "For zod/mini: `input: z.toJSONSchema(schema)`, with `{ unrepresentable: 'any' }` if it has dates.";
  if ('_def' in schema)
    return 'For zod 3: `bindTool({ name, description, parameters: { ...zodToJsonSchema(schema) } }, (input) => handle(schema.parse(input)))`, with zod-to-json-schema.';
  const standard = schema['~standard'];
  const vendor =
    typeof standard === 'object' && standard !== null && 'vendor' in standard ? standard.vendor : undefined;
  if (vendor === 'valibot') return 'For valibot: `input: toStandardJsonSchema(schema)`, with @valibot/to-json-schema.';
  if (vendor === 'effect' || ('ast' in schema && 'pipe' in schema))
    return 'For Effect: `input: Schema.toStandardJSONSchemaV1(Schema.toStandardSchemaV1(schema))`.';
  if ('~kind' in schema || typeof schema['type'] === 'string' || 'properties' in schema)
    return 'For TypeBox, and any plain JSON Schema: `bindTool<Static<typeof schema>>({ name, description, parameters: { ...schema } }, handler)`.';
  return undefined;
}
