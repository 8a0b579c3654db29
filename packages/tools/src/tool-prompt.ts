import type { Tool, ToolOptionality } from '@kernel/protocol';
import { isSchemaObject } from './schema/schema-index.ts';

/** How much a prompt tells of each tool: its name and description; its parameters and hint too; its examples too. */
export type PromptTier = 'brief' | 'standard' | 'full';

/** How `toolPrompt` writes. */
export interface ToolPromptOptions {
  /** Default `standard`. */
  readonly tier?: PromptTier | undefined;
  /** About how long the text may be, at four characters a token: first the tier is lowered, then tools at the end are left out. */
  readonly maxTokens?: number | undefined;
}

const TIERS: readonly PromptTier[] = ['full', 'standard', 'brief'];
const ORDER: Readonly<Record<ToolOptionality, number>> = { required: 0, conditional: 1, optional: 2 };
const CHARS_PER_TOKEN = 4;

/**
 * Describes tools in text, for models that are told of them in a prompt: by category, required before optional, in the given order.
 * The same tools give the same bytes.
 */
export function toolPrompt(tools: readonly Tool[], options: ToolPromptOptions = {}): string {
  const room = (options.maxTokens ?? Infinity) * CHARS_PER_TOKEN;
  const ordered = inOrder(tools);
  for (const tier of TIERS.slice(TIERS.indexOf(options.tier ?? 'standard'))) {
    const text = write(ordered, tier, 0);
    if (text.length <= room) return text;
  }
  for (let left = 1; left <= ordered.length; left += 1) {
    const text = write(ordered.slice(0, ordered.length - left), 'brief', left);
    if (text.length <= room) return text;
  }
  return '';
}

function inOrder(tools: readonly Tool[]): readonly Tool[] {
  const categories = [...new Set(tools.map((tool) => categoryOf(tool)))].toSorted();
  return categories.flatMap((category) =>
    tools
      .filter((tool) => categoryOf(tool) === category)
      .toSorted((a, b) => ORDER[a.metadata?.optionality ?? 'optional'] - ORDER[b.metadata?.optionality ?? 'optional']),
  );
}

function write(tools: readonly Tool[], tier: PromptTier, left: number): string {
  const lines: string[] = [];
  let category: string | undefined;
  for (const tool of tools) {
    if (categoryOf(tool) !== category) {
      category = categoryOf(tool);
      lines.push(...(lines.length === 0 ? [] : ['']), `## ${category}`);
    }
    lines.push(...linesOf(tool, tier));
  }
  if (left > 0) lines.push(`(${left} more tool${left === 1 ? '' : 's'})`);
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
  if (!isSchemaObject(properties)) return [];
  const needed = new Set<unknown>(Array.isArray(required) ? required : []);
  return Object.entries(properties).map(([name, schema]) => {
    const description =
      isSchemaObject(schema) && typeof schema['description'] === 'string' ? `: ${schema['description']}` : '';
    return `  - ${name} (${typeOf(schema)}${needed.has(name) ? ', required' : ''})${description}`;
  });
}

function typeOf(schema: unknown): string {
  if (!isSchemaObject(schema)) return 'any';
  const { type } = schema;
  if (Array.isArray(schema['enum'])) return `one of ${schema['enum'].map((value) => JSON.stringify(value)).join(', ')}`;
  if (Array.isArray(type)) return type.join(' or ');
  return typeof type === 'string' ? type : 'any';
}

function categoryOf(tool: Tool): string {
  return tool.metadata?.category ?? 'other';
}
