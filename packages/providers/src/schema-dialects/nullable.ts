import { isSchema, schemaList, typesOf } from './schema-node.ts';

export function nullable(schema: unknown): unknown {
  if (!isSchema(schema) || Object.keys(schema).length === 0) return schema;
  const { anyOf } = schema;
  if (Array.isArray(anyOf)) return { ...schema, anyOf: [...schemaList(schema, 'anyOf'), { type: 'null' }] };
  const types = typesOf(schema);
  if (types.length === 0 || Object.hasOwn(schema, 'const') || Object.hasOwn(schema, '$ref')) {
    const { description, ...rest } = schema;
    return { ...(description === undefined ? {} : { description }), anyOf: [rest, { type: 'null' }] };
  }
  const values = schema['enum'];
  return {
    ...schema,
    type: [...types, 'null'],
    ...(Array.isArray(values) ? { enum: [...schemaList(schema, 'enum'), null] } : {}),
  };
}
