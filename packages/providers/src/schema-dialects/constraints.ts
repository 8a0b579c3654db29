import type { JsonSchema } from '@kernel/protocol';
import type { RewriteContext } from './dialects.ts';
import { typesOf } from './schema-node.ts';

export const STRUCTURAL: ReadonlySet<string> = new Set(
  'type title description properties required items anyOf oneOf additionalProperties $defs definitions'.split(' '),
);

export const ANNOTATIONS: ReadonlySet<string> = new Set(
  (
    '$schema $id $anchor $comment $vocabulary $dynamicAnchor examples deprecated readOnly writeOnly ' +
    'contentEncoding contentMediaType'
  ).split(' '),
);

const CONSTRAINTS: ReadonlySet<string> = new Set(
  [
    'minLength maxLength pattern format minimum maximum exclusiveMinimum exclusiveMaximum multipleOf',
    'minItems maxItems uniqueItems contains minContains maxContains prefixItems minProperties',
    'maxProperties patternProperties propertyNames dependentRequired dependentSchemas dependencies if',
    'then else not unevaluatedProperties unevaluatedItems $dynamicRef',
  ]
    .join(' ')
    .split(' '),
);

const MAX_NOTE_LENGTH = 200;

/** A lost constraint moves to the description. Unknown keywords have no meaning and are left out. */
export function writeConstraint(
  keyword: string,
  value: unknown,
  node: JsonSchema,
  out: Map<string, unknown>,
  notes: string[],
  path: string,
  { losses, rules }: RewriteContext,
): void {
  const keywords = rules.keywords === 'all' ? undefined : rules.keywords;
  const lose = (): void => {
    const note = `${keyword}: ${JSON.stringify(value)}`;
    const isMoved = note.length <= MAX_NOTE_LENGTH;
    if (isMoved) notes.push(note);
    const message = isMoved ? 'is moved to the description' : 'is left out';
    losses.push({ path: `${path}/${keyword}`, keyword, message: `${message}: ${rules.label} does not accept it` });
  };
  if (keyword === 'enum' || keyword === 'const') {
    if (keyword === 'const' && !rules.constAsEnum) out.set('const', value);
    else writeEnum(keyword === 'const' ? [value] : value, node, out, rules.plainEnums, lose);
  } else if (keyword === 'default') {
    if (keywords === undefined) out.set(keyword, value);
    else notes.push(`default: ${JSON.stringify(value)}`);
  } else if (keywords === undefined || (keywords.has(keyword) && isFormatAccepted(keyword, value, rules.formats))) {
    out.set(keyword, value);
  } else if (CONSTRAINTS.has(keyword) && !writeInclusive(keyword, value, node, out, keywords)) lose();
}

function writeEnum(
  values: unknown,
  node: JsonSchema,
  out: Map<string, unknown>,
  plainOnly: boolean,
  lose: () => void,
): void {
  const list: readonly unknown[] = Array.isArray(values) ? values : [];
  const rest = list.filter((value) => value !== null);
  const isPlain = rest.every((value) => typeof value === 'string' || typeof value === 'number');
  if (plainOnly && !isPlain) {
    lose();
    return;
  }
  const types = typesOf(node);
  if (types.length === 0) {
    const valueTypes = [...new Set(list.map(typeOfValue))];
    out.set('type', valueTypes.length === 1 ? valueTypes[0] : valueTypes);
  }
  if (!plainOnly || rest.length > 0) out.set('enum', plainOnly ? rest : list);
}

/** For an integer, the adjacent inclusive bound says the same, so nothing is lost. */
function writeInclusive(
  keyword: string,
  value: unknown,
  node: JsonSchema,
  out: Map<string, unknown>,
  keywords: ReadonlySet<string>,
): boolean {
  const inclusive = keyword === 'exclusiveMinimum' ? 'minimum' : 'maximum';
  if (!keyword.startsWith('exclusive') || typeof value !== 'number' || !keywords.has(inclusive)) return false;
  if (typesOf(node).join() !== 'integer' || !Number.isInteger(value) || Object.hasOwn(node, inclusive)) return false;
  out.set(inclusive, inclusive === 'minimum' ? value + 1 : value - 1);
  return true;
}

function isFormatAccepted(keyword: string, value: unknown, formats: ReadonlySet<string> | undefined): boolean {
  return keyword !== 'format' || formats === undefined || (typeof value === 'string' && formats.has(value));
}

function typeOfValue(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}
