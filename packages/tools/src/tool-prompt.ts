import { isObject } from '@kernel/internal';
import { type Tool, type ToolOptionality } from '@kernel/protocol';

/** How `toolPrompt` describes tools. */
export interface ToolPromptOptions {
  /** `brief`: name and description; `standard`, the default: also parameters and usage hint; `full`: also examples. */
  readonly tier?: 'brief' | 'standard' | 'full' | undefined;
  /** The approximate maximum length, at four characters a token. To fit, the tier is lowered first, then tools are omitted from the end. */
  readonly maxTokens?: number | undefined;
}

type PromptTier = NonNullable<ToolPromptOptions['tier']>;

const TIERS: readonly PromptTier[] = ['full', 'standard', 'brief'];
const ORDER: Readonly<Record<ToolOptionality, number>> = { required: 0, conditional: 1, optional: 2 };
const CHARS_PER_TOKEN = 4;

/**
 * Describes tools in text, for models that get them in a prompt: by category, required before optional, otherwise in the given order.
 * Equal tools give equal text.
 */
export function toolPrompt(tools: readonly Tool[], options: ToolPromptOptions = {}): string {
  const maxLength = (options.maxTokens ?? Infinity) * CHARS_PER_TOKEN;
  const ordered = sortTools(tools);
  for (const tier of TIERS.slice(TIERS.indexOf(options.tier ?? 'standard'))) {
    const text = write(ordered, tier, 0);
    if (text.length <= maxLength) return text;
  }
  for (let omitted = 1; omitted <= ordered.length; omitted += 1) {
    const text = write(ordered.slice(0, ordered.length - omitted), 'brief', omitted);
    if (text.length <= maxLength) return text;
  }
  return '';
}

function sortTools(tools: readonly Tool[]): readonly Tool[] {
  const categories = [...new Set(tools.map((tool) => categoryOf(tool)))].toSorted();
  return categories.flatMap((category) =>
    tools
      .filter((tool) => categoryOf(tool) === category)
      .toSorted((a, b) => ORDER[a.metadata?.optionality ?? 'optional'] - ORDER[b.metadata?.optionality ?? 'optional']),
  );
}

function write(tools: readonly Tool[], tier: PromptTier, omitted: number): string {
  const lines: string[] = [];
  let category: string | undefined;
  for (const tool of tools) {
    if (categoryOf(tool) !== category) {
      category = categoryOf(tool);
      lines.push(...(lines.length === 0 ? [] : ['']), `## ${category}`);
    }
    lines.push(...linesOf(tool, tier));
  }
  if (omitted > 0) lines.push(`(${omitted} more tool${omitted === 1 ? '' : 's'})`);
  return lines.join('\n');
}

function linesOf(tool: Tool, tier: PromptTier): readonly string[] {
  const { optionality = 'optional', usageHint, examples = [] } = tool.metadata ?? {};
  const lines = [`- \`${tool.name}\` (${optionality}): ${tool.description}`];
  if (tier === 'brief') return lines;
  lines.push(...parameterLines(tool));
  if (usageHint !== undefined) lines.push(`  Use: ${usageHint}`);
  if (tier === 'full') {
    for (const { description, input, output } of examples) {
      lines.push(`  Example: ${description}: ${JSON.stringify(input)}${output === undefined ? '' : ` -> ${output}`}`);
    }
  }
  return lines;
}

function parameterLines(tool: Tool): readonly string[] {
  const { properties, required } = tool.parameters;
  if (!isObject(properties)) return [];
  const needed = new Set<unknown>(Array.isArray(required) ? required : []);
  return Object.entries(properties).map(([name, schema]) => {
    const description =
      isObject(schema) && typeof schema['description'] === 'string' ? `: ${schema['description']}` : '';
    return `  - ${name} (${typeOf(schema)}${needed.has(name) ? ', required' : ''})${description}`;
  });
}

function typeOf(schema: unknown): string {
  if (!isObject(schema)) return 'any';
  const { type } = schema;
  if (Array.isArray(schema['enum'])) return `one of ${schema['enum'].map((value) => JSON.stringify(value)).join(', ')}`;
  if (Array.isArray(type)) return type.join(' or ');
  return typeof type === 'string' ? type : 'any';
}

function categoryOf(tool: Tool): string {
  return tool.metadata?.category ?? 'other';
}
