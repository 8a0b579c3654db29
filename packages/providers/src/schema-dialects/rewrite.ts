import { pointerToken } from '@kernel/internal';
import type { JsonSchema } from '@kernel/protocol';
import { ANNOTATIONS, STRUCTURAL, writeConstraint } from './constraints.ts';
import { isDisjoint, mergeAllOf } from './flatten.ts';
import type { RewriteContext } from './dialects.ts';
import { acceptsNull, isSchema, requiredOf, resolveRef, schemaList, schemaMap, typesOf } from './schema-node.ts';

/** The subschemas of these keywords spend from the budget themselves. */
const SUBSCHEMAS: ReadonlySet<string> = new Set(
  'properties $defs definitions items anyOf oneOf additionalProperties'.split(' '),
);

export function rewrite(node: unknown, path: string, context: RewriteContext): JsonSchema {
  context.budget.spend();
  return context.budget.nest(() => rewriteNode(node, path, context));
}

function rewriteNode(node: unknown, path: string, context: RewriteContext): JsonSchema {
  const { budget, losses, root, rules } = context;
  if (!isSchema(node)) {
    if (node === false)
      losses.push({
        path,
        keyword: 'false',
        message: 'a schema that accepts nothing is sent as one that accepts everything',
      });
    return {};
  }
  const ref = node['$ref'];
  if (typeof ref === 'string') return rewriteRef(node, ref, path, context);
  if (Object.hasOwn(node, 'allOf')) {
    const lose = (keyword: string, message: string): void =>
      void losses.push({ path: `${path}/${keyword}`, keyword, message });
    return rewrite(mergeAllOf(root, node, lose, budget), path, context);
  }
  const types = typesOf(node);
  if (rules.splitTypes && types.filter((type) => type !== 'null').length > 1)
    return splitTypes(node, types, path, context);

  const out = new Map<string, unknown>();
  const notes: string[] = [];
  for (const [keyword, value] of Object.entries(node)) {
    if (!SUBSCHEMAS.has(keyword)) budget.spend(value);
    if (STRUCTURAL.has(keyword)) writeStructure(keyword, node, out, path, context);
    else if (!ANNOTATIONS.has(keyword)) writeConstraint(keyword, value, node, out, notes, path, context);
  }
  if (rules.closed && describesObject(node)) closeObject(node, out, path, context);
  if (notes.length > 0)
    out.set('description', [node['description'], `(${notes.join('; ')})`].filter(Boolean).join(' '));
  return Object.fromEntries(out);
}

function rewriteRef(node: JsonSchema, ref: string, path: string, context: RewriteContext): JsonSchema {
  const { activeRefs, losses, root, rules } = context;
  const { $ref: _, ...siblings } = node;
  const constraints = Object.keys(siblings).filter((keyword) => keyword !== 'description' && !ANNOTATIONS.has(keyword));
  const target = resolveRef(root, ref);
  if (!isSchema(target) && target !== true) {
    losses.push({ path: `${path}/$ref`, keyword: '$ref', message: `"${ref}" does not resolve` });
    return rewrite(siblings, path, context);
  }
  const inDefinitions = /^#(?:\/(?:\$defs|definitions)\/[^/]+)?$/.test(ref);
  if (!rules.inlineRefs && inDefinitions && constraints.length === 0) return { $ref: ref };
  if (activeRefs.includes(ref)) {
    losses.push({ path: `${path}/$ref`, keyword: '$ref', message: `the recursion of "${ref}" ends here` });
    const known = isSchema(target) ? target : {};
    const type = known['type'] ?? (describesObject(known) ? 'object' : undefined);
    return { ...(type === undefined ? {} : { type }), description: `As ${ref.split('/').at(-1) ?? ref} above.` };
  }
  const whole = isSchema(target) ? target : {};
  const { $defs: _defs, definitions: _definitions, ...plain } = whole;
  const joined = constraints.length === 0 ? { ...plain, ...siblings } : { allOf: [plain, siblings] };
  return rewrite(joined, path, { ...context, activeRefs: [...activeRefs, ref] });
}

function splitTypes(node: JsonSchema, types: readonly string[], path: string, context: RewriteContext): JsonSchema {
  const { description, type: _, ...rest } = node;
  const anyOf = types.map((type) => rewrite(type === 'null' ? { type } : { ...rest, type }, path, context));
  return { ...(description === undefined ? {} : { description }), anyOf };
}

function writeStructure(
  keyword: string,
  node: JsonSchema,
  out: Map<string, unknown>,
  path: string,
  context: RewriteContext,
): void {
  const value = node[keyword];
  const at = `${path}/${keyword}`;
  switch (keyword) {
    case 'properties':
    case '$defs':
    case 'definitions': {
      if (keyword !== 'properties' && context.rules.inlineRefs) return;
      const entries = schemaMap(node, keyword).map(([name, inner]) => {
        context.budget.spend(name);
        return [name, rewrite(inner, `${at}/${pointerToken(name)}`, context)] as const;
      });
      out.set(keyword, Object.fromEntries(entries));
      return;
    }
    case 'items':
      if (isSchema(value)) out.set('items', rewrite(value, at, context));
      else if (Array.isArray(value))
        context.losses.push({ path: at, keyword, message: 'a list of item schemas is left out' });
      return;
    case 'anyOf':
    case 'oneOf': {
      const branches = schemaList(node, keyword);
      if (keyword === 'oneOf' && !isDisjoint(context.root, branches)) {
        context.losses.push({
          path: at,
          keyword,
          message: 'oneOf is sent as anyOf: more than one branch may match',
        });
      }
      const written = branches.map((branch, index) => rewrite(branch, `${at}/${index}`, context));
      const existing = out.get('anyOf');
      if (Array.isArray(existing))
        context.losses.push({ path: at, keyword, message: 'a second union next to anyOf is left out' });
      else out.set('anyOf', written);
      return;
    }
    case 'additionalProperties': {
      const { rules } = context;
      if (rules.closed) return;
      if (rules.additional) out.set(keyword, isSchema(value) ? rewrite(value, at, context) : value);
      // Whoever validates the arguments knows what is declared: leaving `false` out changes nothing.
      else if (typeof value !== 'boolean') context.losses.push({ path: at, keyword, message: 'is left out' });
      return;
    }
    default:
      out.set(keyword, value);
  }
}

function closeObject(node: JsonSchema, out: Map<string, unknown>, path: string, context: RewriteContext): void {
  const { losses, root, rules } = context;
  const open = node['additionalProperties'];
  if (open !== undefined && open !== false) {
    losses.push({
      path: `${path}/additionalProperties`,
      keyword: 'additionalProperties',
      message: 'properties that the schema does not list are not allowed here',
    });
  } else if (open === undefined && !Object.hasOwn(node, 'properties') && !Object.hasOwn(node, 'anyOf')) {
    losses.push({ path, keyword: 'type', message: 'an object without properties accepts none here' });
  }
  out.set('type', node['type'] ?? 'object');
  const properties = schemaMap(node, 'properties');
  if (!out.has('properties')) out.set('properties', {});
  out.set('additionalProperties', false);
  if (!rules.allRequired) return;
  const required = requiredOf(node);
  const written = out.get('properties');
  const entries = Object.entries(isSchema(written) ? written : {}).map(([name, inner]) => {
    const original = properties.find(([each]) => each === name)?.[1];
    return [name, required.has(name) || acceptsNull(root, original, context.budget) ? inner : nullable(inner)] as const;
  });
  out.set('properties', Object.fromEntries(entries));
  out.set(
    'required',
    entries.map(([name]) => name),
  );
}

function describesObject(schema: JsonSchema): boolean {
  return typesOf(schema).includes('object') || Object.hasOwn(schema, 'properties');
}

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
