import { isObject } from '@kernel/internal';
import { type JsonSchema, type JsonValue, KernelError, type Tool, type ProviderWarning } from '@kernel/protocol';
import { checkDialect, type Dialect, DIALECTS, type DialectLoss } from './dialects.ts';
import { type Budget, createBudget, tooLarge } from './budget.ts';
import { mergeAllOf, mergeRootUnion } from './flatten.ts';
import { restoreAbsent } from './restore.ts';
import { vendorWarnings } from '../vendor-rules/vendor-limits.ts';
import { rewrite } from './rewrite.ts';
import { followRefs, typesOf } from './schema-node.ts';
import { soundSchema } from './sound-schema.ts';

/** A schema in a vendor's dialect, the way back for arguments, and what the dialect cannot express. */
export interface DialectSchema {
  /** The original schema object if nothing had to change. */
  readonly schema: JsonSchema;
  /** Turns arguments that follow `schema` into ones that follow the tool's own schema. Returns other values unchanged. */
  restore(args: JsonValue): JsonValue;
  /** What the dialect cannot express. */
  readonly losses: readonly DialectLoss[];
}

/**
 * Translates a tool's schema into a vendor's dialect. The root becomes an object schema without unions, which every vendor requires.
 *
 * Throws `TOOL_SCHEMA_INVALID` for a schema whose references expand to far more than the schema itself.
 */
export function toDialect(schema: JsonSchema, dialect: Dialect): DialectSchema {
  checkDialect('toDialect', dialect);
  const rules = DIALECTS[dialect];
  const losses: DialectLoss[] = [];
  const lose = (keyword: string, message: string): void => void losses.push({ path: `/${keyword}`, keyword, message });
  const sound = soundSchema(schema, (loss) => losses.push(loss));
  if (!describesObject(sound)) throw notAnObject(sound);
  const budget = createBudget(sound);
  let root = flattenRoot(sound, lose, budget);
  if (rules.keywords !== 'all' || (rules.inlineRefs && JSON.stringify(root).includes('"$ref"'))) {
    root = rewrite(root, '', { rules, root: sound, budget, losses, activeRefs: ['#'] });
    if (rules.inlineRefs) {
      const { $defs: _, definitions: _definitions, ...plain } = root;
      root = plain;
    }
  }
  // OpenAI refuses a root without either.
  if (root['type'] === undefined) root = { type: 'object', ...root };
  if (!isObject(root['properties'])) root = { ...root, properties: {} };
  const restore = rules.allRequired
    ? (args: JsonValue) => restoreAbsent(sound, sound, args)
    : (args: JsonValue) => args;
  return Object.freeze({ schema: root, restore, losses: Object.freeze(losses) });
}

const NO_OBJECT = 'Arguments are an object: write the schema of one, with the value as a property.';

function describesObject(schema: JsonSchema): boolean {
  const types = typesOf(schema);
  return types.length === 0 || types.includes('object');
}

function notAnObject(schema: JsonSchema): KernelError {
  const message = `The schema of a tool's arguments has the type ${JSON.stringify(schema['type'])}.`;
  return new KernelError('TOOL_SCHEMA_INVALID', message, { hint: NO_OBJECT });
}

const cache = new WeakMap<Tool, Map<Dialect, DialectSchema>>();

/** Converts once per tool object and dialect. Its errors name the tool. */
export function toolDialect(tool: Tool, dialect: Dialect): DialectSchema {
  const cached = cache.get(tool) ?? new Map<Dialect, DialectSchema>();
  cache.set(tool, cached);
  const translated = cached.get(dialect) ?? translate(tool, dialect);
  cached.set(dialect, translated);
  return translated;
}

function translate(tool: Tool, dialect: Dialect): DialectSchema {
  try {
    return toDialect(tool.parameters, dialect);
  } catch (error) {
    if (KernelError.is(error)) throw error.hint === NO_OBJECT ? error : tooLarge(tool.name);
    throw error instanceof RangeError ? tooLarge(tool.name, error) : error; // the stack overflows for a schema that is too deep
  }
}

function flattenRoot(schema: JsonSchema, lose: (keyword: string, message: string) => void, budget: Budget): JsonSchema {
  let root = schema;
  if (typeof root['$ref'] === 'string') {
    const { $ref: _, ...siblings } = root;
    root = { ...followRefs(schema, root), ...siblings };
  }
  if (Object.hasOwn(root, 'allOf')) root = mergeAllOf(root, root, lose, budget);
  for (const keyword of ['anyOf', 'oneOf'] as const) {
    if (Object.hasOwn(root, keyword)) root = mergeRootUnion(root, keyword, lose, budget);
  }
  for (const keyword of ['not', 'enum', 'if', 'then', 'else']) {
    if (!Object.hasOwn(root, keyword)) continue;
    const { [keyword]: _, ...rest } = root;
    root = rest;
    lose(keyword, 'is left out: no vendor accepts it at the root');
  }
  return root['type'] === 'object' || root['type'] === undefined ? root : { ...root, type: 'object' };
}

/** The strict dialect is used only if the tool asks for it and nothing is lost. */
export function chooseSchema(tool: Tool, dialect: Dialect, strict: Dialect | undefined) {
  const warnings: ProviderWarning[] = [];
  if (tool.strict === true) {
    const enforced = strict === undefined ? undefined : toolDialect(tool, strict);
    if (enforced !== undefined && enforced.losses.length === 0) return { ...enforced, strict: true, warnings };
    const loss = enforced?.losses[0];
    const why = loss === undefined ? 'this API does not have it' : `${loss.keyword} ${loss.message}`;
    warnings.push({ message: `sent without strict mode: ${why}`, tool: tool.name, path: loss?.path ?? '' });
  }
  const loose = toolDialect(tool, dialect);
  return { ...loose, strict: false, warnings: [...warnings, ...loose.losses.map((loss) => toWarning(tool, loss))] };
}

/** The dialects of vendors that have another name than their dialect. */
const VENDOR_DIALECTS = { azure: 'openai', bedrock: 'anthropic' } as const;

/**
 * Lists, before the first request, what a vendor can't express or refuses of these tools, and each downgrade from
 * strict mode.
 */
export function lintTools(
  tools: readonly Tool[],
  dialect: Dialect | keyof typeof VENDOR_DIALECTS,
): readonly ProviderWarning[] {
  const spoken = dialect === 'azure' || dialect === 'bedrock' ? VENDOR_DIALECTS[dialect] : dialect;
  checkDialect('lintTools', spoken);
  const isStrict = spoken === 'openai-strict';
  const vendors = dialect === 'openai' ? ['openai', 'azure'] : [dialect];
  const strict = spoken === 'openai' || spoken === 'mistral' ? 'openai-strict' : undefined;
  return tools.flatMap((tool) => {
    const limits = vendors.flatMap((vendor) => vendorWarnings(tool, vendor));
    try {
      const chosen = isStrict
        ? chooseSchema({ ...tool, strict: true }, 'openai', spoken)
        : chooseSchema(tool, spoken, strict);
      return [...chosen.warnings, ...limits];
    } catch (error) {
      return [setAside(tool, error)];
    }
  });
}

/** The warning that takes the place of a tool that no vendor would take: the others stay. */
export function setAside(tool: Tool, error: unknown): ProviderWarning {
  if (!KernelError.is(error)) throw error;
  return { message: `the tool is left out: ${error.message} ${error.hint ?? ''}`.trim(), tool: tool.name, path: '' };
}

function toWarning(tool: Tool, { keyword, message, path }: DialectLoss): ProviderWarning {
  return { message: `${keyword} ${message}`, tool: tool.name, path };
}
