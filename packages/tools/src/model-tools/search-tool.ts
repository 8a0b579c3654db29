import { KernelError, type Tool, toolResult } from '@kernel/protocol';
import { bindTool } from '../tool/bind-tool.ts';
import type { ToolBinding } from '../tool/binding.ts';
import { clip } from '../arguments/messages.ts';
import { createBm25 } from './bm25.ts';
import { matchWithin } from '../schema/pattern.ts';

/** What a search tool needs of a registry. */
export interface Searchable {
  readonly version: number;
  /** The tools that are registered but not offered until found. */
  hiddenTools(): readonly Tool[];
  promote(names: Iterable<string>, ttl?: number): void;
  /** Checks capabilities, so that what lacks one is not found. */
  available?(): Promise<unknown>;
}

/** How found tools are offered. */
export interface SearchOptions {
  /** For how many following turns a found tool is offered; a use renews that. Default 5. */
  readonly ttl?: number | undefined;
  /** How many tools one search shows at most. Default 5. */
  readonly limit?: number | undefined;
  /** The search tool's own name. */
  readonly name?: string | undefined;
}

const LIMIT = 5;
const PATTERN_LENGTH = 200;
const PATTERN_MS = 100;

/** Makes the tool with which a model finds hidden tools by words. Found ones are offered from the next turn on. */
export function searchTool(registry: Searchable, options: SearchOptions = {}): ToolBinding {
  let index: { readonly version: number; readonly find: ReturnType<typeof createBm25> } | undefined;
  const find = (query: string, count: number): readonly string[] => {
    if (index?.version !== registry.version) {
      const texts = registry
        .hiddenTools()
        .map(({ name, description }) => ({ key: name, text: `${name} ${description}` }));
      index = { version: registry.version, find: createBm25(texts) };
    }
    return index.find(query, count);
  };
  return bindTool<{ readonly query: string }>(
    {
      name: options.name ?? 'find_tools',
      description: 'Finds more tools by what they do. Tools that are found can be called afterwards.',
      effect: 'read',
      parameters: {
        type: 'object',
        properties: { query: { type: 'string', description: 'What the tool should do, in a few words.' } },
        required: ['query'],
        additionalProperties: false,
      },
      metadata: { category: 'utility' },
    },
    async ({ query }) => {
      if (query.trim() === '') throw refused('the query is empty.', 'Say in a few words what the tool should do.');
      await registry.available?.();
      return offer(registry, find(query, options.limit ?? LIMIT), `"${clip(query, 60)}"`, options.ttl);
    },
  );
}

/** Makes the tool with which a model finds hidden tools by a regular expression over names and descriptions. Never hangs. */
export function patternSearchTool(registry: Searchable, options: SearchOptions = {}): ToolBinding {
  return bindTool<{ readonly pattern: string }>(
    {
      name: options.name ?? 'find_tools_by_pattern',
      description:
        'Finds more tools whose name or description matches a regular expression. Tools that are found can be called afterwards.',
      effect: 'read',
      parameters: {
        type: 'object',
        properties: { pattern: { type: 'string', description: 'A regular expression; letter case does not matter.' } },
        required: ['pattern'],
        additionalProperties: false,
      },
      metadata: { category: 'utility' },
    },
    async ({ pattern }) => {
      await registry.available?.();
      if (pattern.trim() === '') throw refused('the pattern is empty.', 'Give a part of a name.');
      if (pattern.length > PATTERN_LENGTH) {
        throw refused(
          `the pattern has ${pattern.length} characters; ${PATTERN_LENGTH} are allowed.`,
          'Use a shorter one.',
        );
      }
      const tools = registry.hiddenTools();
      const texts = tools.map(({ name, description }) => `${name} ${description}`);
      const found = matchWithin({ pattern: toCaseless(pattern), texts }, PATTERN_MS);
      if (found === undefined)
        throw refused('the pattern takes too long.', 'Use a simpler one, without nested repetitions.');
      const names = tools.filter((_, index) => found[index] === true).map((tool) => tool.name);
      return offer(registry, names.slice(0, options.limit ?? LIMIT), `/${clip(pattern, 60)}/`, options.ttl);
    },
  );
}

function toCaseless(pattern: string): RegExp {
  try {
    return new RegExp(pattern, 'i');
  } catch {
    throw refused(
      'the pattern is no regular expression.',
      'Escape special characters with a backslash, or use plain words.',
    );
  }
}

function offer(
  registry: Searchable,
  names: readonly string[],
  what: string,
  ttl: number | undefined,
): ReturnType<typeof toolResult> {
  if (names.length === 0) {
    return toolResult(`No further tool matches ${what}. Try other or more general words, one or two at a time.`);
  }
  const tools = new Map(registry.hiddenTools().map((tool) => [tool.name, tool]));
  registry.promote(names, ttl);
  const lines = names.map((name) => `- \`${name}\` - ${clip(tools.get(name)?.description ?? '', 200)}`);
  return toolResult(`These tools can be called now:\n${lines.join('\n')}`);
}

function refused(message: string, hint: string): KernelError {
  return new KernelError('ARGUMENTS_INVALID', message, { hint });
}
