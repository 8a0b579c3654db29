import { type JsonSchema, KernelError, type Tool } from '@kernel/protocol';
import { inspectSchema } from '../schema/inspect-schema.ts';
import { freezeCopy, invalid } from '../schema/freeze-copy.ts';
import { isSchemaObject } from '../schema/schema-index.ts';
import { convertSchema } from './convert-schema.ts';
import { type Expression, choice, literal, rule, sequence } from './expression.ts';
import { endingRules, printRules } from './rules.ts';
import { sharedRules, space } from './json-rules.ts';
import type { GrammarWarning } from './warning.ts';

/** How a grammar is written. */
export interface GrammarOptions {
  /** No white space between tokens: shorter replies. Default false. */
  readonly compact?: boolean | undefined;
  /** For tools: free text that does not begin with `{` is accepted as well. Default false. */
  readonly text?: boolean | undefined;
  /** Holds the known string formats, which validation takes for annotations. Default false. */
  readonly formats?: boolean | undefined;
  /** Objects that do not say so take no other properties; each is warned of as `stronger`. Default false. */
  readonly closed?: boolean | undefined;
}

/** A grammar in GBNF, and what it holds otherwise than the schema. */
export interface Grammar {
  readonly grammar: string;
  readonly warnings: readonly GrammarWarning[];
}

interface Converted {
  /** The rules as text. */
  readonly text: string;
  /** The names of the shared rules that they need. */
  readonly shared: readonly string[];
  readonly warnings: readonly GrammarWarning[];
}

const converted = new WeakMap<object, Map<string, Converted>>();
const SHARED = { compact: sharedRules(true), spaced: sharedRules(false) };

/**
 * Writes a GBNF grammar that accepts JSON text of a schema, properties in their declared order; or, for a list of tools, one
 * call `{"name", "arguments"}` of any of them. Equal input gives equal bytes; each tool's and schema's rules are cached.
 *
 * Throws `TOOL_SCHEMA_INVALID` for an unsound schema and for one that no value fits.
 */
export function toGbnf(input: readonly Tool[] | JsonSchema, options: GrammarOptions = {}): Grammar {
  const shared = options.compact === true ? SHARED.compact : SHARED.spaced;
  const needed = new Set<string>();
  const warnings: GrammarWarning[] = [];
  let text = '';
  function take(part: Converted, tool?: string): void {
    text += part.text;
    for (const name of part.shared) needed.add(name);
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
  const rest = [...shared].filter(([name]) => needed.has(name));
  return { grammar: text + printRules(new Map(rest)), warnings };
}

function isTools(input: readonly Tool[] | JsonSchema): input is readonly Tool[] {
  return Array.isArray(input);
}

function toolsRoot(tools: readonly Tool[], options: GrammarOptions, take: (tool: Tool) => void): Expression {
  if (tools.length === 0)
    throw new KernelError('TOOL_SCHEMA_INVALID', 'There are no tools to write a grammar for.', {
      hint: 'Give at least one tool.',
    });
  const gap = space(options.compact === true);
  const colon = sequence(gap, literal(':'), gap);
  const names = new Set<string>();
  const calls = tools.map((tool) => {
    if (names.has(tool.name))
      throw new KernelError('TOOL_ALREADY_EXISTS', `Two tools are named "${tool.name}".`, {
        hint: 'Give each tool once.',
      });
    names.add(tool.name);
    take(tool);
    const name = sequence(literal('"name"'), colon, literal(JSON.stringify(tool.name)));
    const input = sequence(literal('"arguments"'), colon, rule(toolRule(tool)));
    return sequence(literal('{'), gap, name, gap, literal(','), gap, input, gap, literal('}'));
  });
  return choice(...calls, ...(options.text === true ? [rule('text')] : []));
}

/** A rule name of letters, digits and hyphens alone, another one for every tool name. */
function toolRule({ name }: Tool): string {
  const plain = name.replaceAll(/[^A-Za-z0-9]/g, (character) =>
    character === '_' ? '-u' : `-x${character.codePointAt(0)?.toString(16) ?? ''}-`,
  );
  return `tool-${plain}`;
}

function convertOnce(owner: object, schema: JsonSchema, prefix: string, options: GrammarOptions): Converted {
  const { compact = false, closed = false, formats = false } = options;
  const key = `${compact} ${closed} ${formats}`;
  const known = converted.get(owner) ?? new Map<string, Converted>();
  const cached = known.get(key);
  if (cached !== undefined) return cached;
  const made = convertSound(schema, prefix, { compact, closed, formats });
  // Only what cannot change is kept.
  if (Object.isFrozen(schema)) converted.set(owner, known.set(key, made));
  return made;
}

function convertSound(
  schema: JsonSchema,
  prefix: string,
  how: { compact: boolean; closed: boolean; formats: boolean },
): Converted {
  const what = prefix === 'root' ? 'Schema' : `Tool of rule "${prefix}"`;
  const copy = Object.isFrozen(schema) ? schema : freezeCopy(schema, what);
  if (!isSchemaObject(copy)) throw invalid(what, '', 'is no schema: an object of keywords');
  inspectSchema(copy, what);
  const warnings = new Map<string, GrammarWarning>();
  const warn = (path: string, keyword: string, effect: GrammarWarning['effect']): void => {
    warnings.set(`${path} ${keyword} ${effect}`, { path, keyword, effect });
  };
  const all = convertSchema(copy, prefix, { ...how, warn });
  const rules = endingRules(new Map([...all, ...(how.compact ? SHARED.compact : SHARED.spaced)]), [prefix]);
  if (!rules.has(prefix))
    throw invalid(what, '', 'accepts no value at all', 'Look for contradictions, or a property that requires itself.');
  const own = new Map([...rules].filter(([name]) => !SHARED.spaced.has(name)));
  const shared = [...rules.keys()].filter((name) => SHARED.spaced.has(name));
  return { text: printRules(own), shared, warnings: [...warnings.values()] };
}
