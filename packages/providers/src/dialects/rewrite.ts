import type { JsonSchema } from '@kernel/protocol';
import type { DialectRules } from './dialects.ts';
import { isDisjoint, joinAllOf } from './flatten.ts';
import { keepConstraint, STRUCTURAL, ANNOTATIONS } from './constraints.ts';
import { nullable } from './nullable.ts';
import {
  isSchema,
  pointerToken,
  requiredOf,
  resolveRef,
  schemaList,
  schemaMap,
  takesNull,
  typesOf,
} from './schema-node.ts';

/** What a wire's schema cannot say as the tool says it. Local validation keeps all of it. */
export interface DialectLoss {
  /** JSON pointer into the tool's schema. */
  readonly path: string;
  readonly keyword: string;
  readonly message: string;
}

/** One rewriting of one schema. @internal */
export interface RewriteContext {
  readonly rules: DialectRules;
  readonly root: JsonSchema;
  readonly losses: DialectLoss[];
  /** The references being inlined: one that comes again is recursion. */
  readonly inside: readonly string[];
}

/** Writes a schema anew with what the dialect takes; everything else is rewritten, moved to the description or left out, and listed. @internal */
export function rewrite(node: unknown, path: string, work: RewriteContext): JsonSchema {
  const { losses, root, rules } = work;
  if (!isSchema(node)) {
    if (node === false)
      losses.push({ path, keyword: 'false', message: 'a schema that takes nothing is sent as one that takes all' });
    return {};
  }
  const ref = node['$ref'];
  if (typeof ref === 'string') return followOrKeep(node, ref, path, work);
  if (Object.hasOwn(node, 'allOf')) {
    const lose = (keyword: string, message: string): void =>
      void losses.push({ path: `${path}/${keyword}`, keyword, message });
    return rewrite(joinAllOf(root, node, lose), path, work);
  }
  const types = typesOf(node);
  if (rules.splitTypes && types.filter((type) => type !== 'null').length > 1)
    return splitTypes(node, types, path, work);

  const out = new Map<string, unknown>();
  const notes: string[] = [];
  for (const [keyword, value] of Object.entries(node)) {
    if (STRUCTURAL.has(keyword)) writeStructure(keyword, node, out, path, work);
    else if (!ANNOTATIONS.has(keyword)) keepConstraint(keyword, value, node, out, notes, path, work);
  }
  if (rules.closed && isObject(node)) closeObject(node, out, path, work);
  if (notes.length > 0)
    out.set('description', [node['description'], `(${notes.join('; ')})`].filter(Boolean).join(' '));
  return Object.fromEntries(out);
}

function followOrKeep(node: JsonSchema, ref: string, path: string, work: RewriteContext): JsonSchema {
  const { inside, losses, root, rules } = work;
  const { $ref: _, ...beside } = node;
  const constraints = Object.keys(beside).filter((keyword) => keyword !== 'description' && !ANNOTATIONS.has(keyword));
  const target = resolveRef(root, ref);
  if (!isSchema(target) && target !== true) {
    losses.push({ path: `${path}/$ref`, keyword: '$ref', message: `"${ref}" points to nothing here` });
    return rewrite(beside, path, work);
  }
  const inDefinitions = /^#(?:\/(?:\$defs|definitions)\/[^/]+)?$/.test(ref);
  if (!rules.inlineRefs && inDefinitions && constraints.length === 0) return { $ref: ref };
  if (inside.includes(ref)) {
    losses.push({ path: `${path}/$ref`, keyword: '$ref', message: `the recursion of "${ref}" is cut here` });
    const known = isSchema(target) ? target : {};
    const type = known['type'] ?? (isObject(known) ? 'object' : undefined);
    return { ...(type === undefined ? {} : { type }), description: `As ${ref.split('/').at(-1) ?? ref} above.` };
  }
  const whole = isSchema(target) ? target : {};
  const { $defs: _defs, definitions: _definitions, ...plain } = whole;
  const joined = constraints.length === 0 ? { ...plain, ...beside } : { allOf: [plain, beside] };
  return rewrite(joined, path, { ...work, inside: [...inside, ref] });
}

function splitTypes(node: JsonSchema, types: readonly string[], path: string, work: RewriteContext): JsonSchema {
  const { description, type: _, ...rest } = node;
  const anyOf = types.map((type) => rewrite(type === 'null' ? { type } : { ...rest, type }, path, work));
  return { ...(description === undefined ? {} : { description }), anyOf };
}

function writeStructure(
  keyword: string,
  node: JsonSchema,
  out: Map<string, unknown>,
  path: string,
  work: RewriteContext,
): void {
  const value = node[keyword];
  const at = `${path}/${keyword}`;
  switch (keyword) {
    case 'properties':
    case '$defs':
    case 'definitions': {
      if (keyword !== 'properties' && work.rules.inlineRefs) return;
      const entries = schemaMap(node, keyword).map(
        ([name, inner]) => [name, rewrite(inner, `${at}/${pointerToken(name)}`, work)] as const,
      );
      out.set(keyword, Object.fromEntries(entries));
      return;
    }
    case 'items':
      if (isSchema(value)) out.set('items', rewrite(value, at, work));
      else if (Array.isArray(value))
        work.losses.push({ path: at, keyword, message: 'a list of item schemas is left out' });
      return;
    case 'anyOf':
    case 'oneOf': {
      const branches = schemaList(node, keyword);
      if (keyword === 'oneOf' && !isDisjoint(work.root, branches)) {
        work.losses.push({
          path: at,
          keyword,
          message: 'oneOf is sent as anyOf: that only one branch fits is not said',
        });
      }
      const written = branches.map((branch, index) => rewrite(branch, `${at}/${index}`, work));
      const there = out.get('anyOf');
      if (Array.isArray(there))
        work.losses.push({ path: at, keyword, message: 'a second union beside anyOf is left out' });
      else out.set('anyOf', written);
      return;
    }
    case 'additionalProperties': {
      const { rules } = work;
      if (rules.closed) return;
      if (rules.additional) out.set(keyword, isSchema(value) ? rewrite(value, at, work) : value);
      else if (value !== true) work.losses.push({ path: at, keyword, message: 'is left out' });
      return;
    }
    default:
      out.set(keyword, value);
  }
}

function closeObject(node: JsonSchema, out: Map<string, unknown>, path: string, work: RewriteContext): void {
  const { losses, root, rules } = work;
  const open = node['additionalProperties'];
  if (open !== undefined && open !== false) {
    losses.push({
      path: `${path}/additionalProperties`,
      keyword: 'additionalProperties',
      message: 'names that the schema does not list are not allowed here',
    });
  } else if (open === undefined && !Object.hasOwn(node, 'properties') && !Object.hasOwn(node, 'anyOf')) {
    losses.push({ path, keyword: 'type', message: 'an object without properties takes none here' });
  }
  out.set('type', node['type'] ?? 'object');
  const properties = schemaMap(node, 'properties');
  if (!out.has('properties')) out.set('properties', {});
  out.set('additionalProperties', false);
  if (!rules.allRequired) return;
  const required = requiredOf(node);
  const written = out.get('properties');
  const entries = Object.entries(isSchema(written) ? written : {}).map(([name, inner]) => {
    const own = properties.find(([each]) => each === name)?.[1];
    return [name, required.has(name) || takesNull(root, own) ? inner : nullable(inner)] as const;
  });
  out.set('properties', Object.fromEntries(entries));
  out.set(
    'required',
    entries.map(([name]) => name),
  );
}

function isObject(schema: JsonSchema): boolean {
  return typesOf(schema).includes('object') || Object.hasOwn(schema, 'properties');
}
