import { type JsonSchema, KernelError, type Tool } from '@kernel/protocol';
import { deepFreezeCopy, inspectSchema, invalidSchema, isSchemaObject } from '@kernel/schema';
import { createBudget } from './budget.ts';
import { convertSchema } from './convert-schema.ts';
import { type Expression, choice, literal, rule, sequence } from './expression.ts';
import { printRules, reduceRules } from './rules.ts';
import { jsonRules, space } from './json-rules.ts';
import type { GrammarWarning } from './conversion.ts';

/** How a grammar is generated. */
export interface GrammarOptions {
  /** Allows no white space between tokens, which makes replies shorter. Default false. */
  readonly compact?: boolean | undefined;
  /** For tools: also accepts free text that does not begin with `{`. Default false. */
  readonly text?: boolean | undefined;
  /** Enforces the known string formats, which validation treats as annotations. Default false. */
  readonly formats?: boolean | undefined;
  /** Objects without `additionalProperties` accept no other properties; each gives a `stronger` warning. Default false. */
  readonly closed?: boolean | undefined;
}

/** A grammar in GBNF. */
export interface Grammar {
  /** The grammar as text. */
  readonly grammar: string;
  /** Where it accepts more or less than the schema. */
  readonly warnings: readonly GrammarWarning[];
}

interface Converted {
  readonly text: string;
  readonly jsonRules: readonly string[];
  readonly warnings: readonly GrammarWarning[];
}

const cache = new WeakMap<object, Map<string, Converted>>();
const JSON_RULES = { compact: jsonRules(true), spaced: jsonRules(false) };

/**
 * Generates a GBNF grammar for the JSON text of a schema, with properties in declared order, or for one call `{"name", "arguments"}` of any
 * of several tools. Equal input gives equal text; the rules of each tool and schema are cached.
 *
 * Throws `TOOL_SCHEMA_INVALID` for an invalid schema, and for one that no value matches.
 *
 * @example
 * ```ts
 * import { toGbnf } from '@kernel/tools/grammar';
 *
 * const parameters = { type: 'object', properties: { minutes: { type: 'integer' } }, required: ['minutes'] };
 * const { grammar, warnings } = toGbnf([{ name: 'set_timer', description: 'Sets a timer.', parameters }]);
 * ```
 */
export function toGbnf(input: readonly Tool[] | JsonSchema, options: GrammarOptions = {}): Grammar {
  const available = options.compact === true ? JSON_RULES.compact : JSON_RULES.spaced;
  const needed = new Set<string>();
  const warnings: GrammarWarning[] = [];
  let text = '';
  function take(part: Converted, tool?: string): void {
    text += part.text;
    for (const name of part.jsonRules) needed.add(name);
    warnings.push(...(tool === undefined ? part.warnings : part.warnings.map((warning) => ({ ...warning, tool }))));
  }
  if (isTools(input)) {
    const root = toolsRoot(input, options, (tool) => {
      take(convertOnce(tool, tool.parameters, toolRule(tool), options), tool.name);
    });
    if (options.compact !== true) needed.add('ws');
    if (options.text === true) needed.add('text');
    text = printRules(new Map([['root', root]])) + text;
  } else {
    take(convertOnce(input, input, 'root', options));
  }
  const rest = [...available].filter(([name]) => needed.has(name));
  return { grammar: text + printRules(new Map(rest)), warnings };
}

function isTools(input: readonly Tool[] | JsonSchema): input is readonly Tool[] {
  return Array.isArray(input);
}

function toolsRoot(tools: readonly Tool[], options: GrammarOptions, take: (tool: Tool) => void): Expression {
  if (tools.length === 0)
    throw new KernelError('TOOL_SCHEMA_INVALID', 'There are no tools to generate a grammar for.', {
      hint: 'Pass at least one tool.',
    });
  const gap = space(options.compact === true);
  const colon = sequence(gap, literal(':'), gap);
  const names = new Set<string>();
  const calls = tools.map((tool) => {
    if (names.has(tool.name))
      throw new KernelError('TOOL_ALREADY_EXISTS', `Two tools are named "${tool.name}".`, {
        hint: 'Pass each tool once.',
      });
    names.add(tool.name);
    take(tool);
    const name = sequence(literal('"name"'), colon, literal(JSON.stringify(tool.name)));
    const input = sequence(literal('"arguments"'), colon, rule(toolRule(tool)));
    return sequence(literal('{'), gap, name, gap, literal(','), gap, input, gap, literal('}'));
  });
  return choice(...calls, ...(options.text === true ? [rule('text')] : []));
}

/** Returns a rule name of letters, digits and hyphens, different for every tool name. */
function toolRule({ name }: Tool): string {
  const plain = name.replaceAll(/[^A-Za-z0-9]/g, (character) =>
    character === '_' ? '-u' : `-x${character.codePointAt(0)?.toString(16) ?? ''}-`,
  );
  return `tool-${plain}`;
}

function convertOnce(owner: object, schema: JsonSchema, prefix: string, options: GrammarOptions): Converted {
  const { compact = false, closed = false, formats = false } = options;
  const key = `${compact} ${closed} ${formats}`;
  const byOptions = cache.get(owner) ?? new Map<string, Converted>();
  const cached = byOptions.get(key);
  if (cached !== undefined) return cached;
  const result = convertChecked(schema, prefix, { compact, closed, formats });
  // A schema that is not frozen can change.
  if (Object.isFrozen(schema)) cache.set(owner, byOptions.set(key, result));
  return result;
}

function convertChecked(
  schema: JsonSchema,
  prefix: string,
  options: { compact: boolean; closed: boolean; formats: boolean },
): Converted {
  const subject = prefix === 'root' ? 'Schema' : `Tool of rule "${prefix}"`;
  const copy = Object.isFrozen(schema) ? schema : deepFreezeCopy(schema, subject);
  if (!isSchemaObject(copy)) throw invalidSchema(subject, '', 'is not a JSON Schema object');
  inspectSchema(copy, subject);
  const warnings = new Map<string, GrammarWarning>();
  const warn = (path: string, keyword: string, effect: GrammarWarning['effect']): void => {
    warnings.set(`${path} ${keyword} ${effect}`, { path, keyword, effect });
  };
  const all = convertSchema(copy, prefix, { ...options, warn }, createBudget(copy, subject));
  const rules = reduceRules(new Map([...all, ...(options.compact ? JSON_RULES.compact : JSON_RULES.spaced)]), [prefix]);
  if (!rules.has(prefix))
    throw invalidSchema(
      subject,
      '',
      'accepts no value at all',
      'Look for contradictions, or for a property that requires itself.',
    );
  const ownRules = new Map([...rules].filter(([name]) => !JSON_RULES.spaced.has(name)));
  const needed = [...rules.keys()].filter((name) => JSON_RULES.spaced.has(name));
  return { text: printRules(ownRules), jsonRules: needed, warnings: [...warnings.values()] };
}
