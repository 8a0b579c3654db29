import { truncate } from '@kernel/internal';
import { checkNumber, invalidOption, KernelError, type Tool, toolResult } from '@kernel/protocol';
import { createSearch } from '@kernel/schema';
import { bindTool } from '../tool/bind-tool.ts';
import type { ToolBinding } from '../tool/binding.ts';
import { createBm25 } from './bm25.ts';

/** What a search tool needs of a registry. */
export interface SearchableTools {
  /** Rises with each change; the index is rebuilt when it differs. */
  readonly version: number;
  /** The tools that can be found: registered, but not on offer. */
  hiddenTools(): readonly Tool[];
  /** Offers tools for the next `ttl` turns. */
  promote(names: Iterable<string>, ttl?: number): void;
  /** Checks capabilities, so that a tool that lacks one is not found. */
  available?(): Promise<unknown>;
}

/** How a search tool works. */
export interface SearchToolOptions {
  /** For how many turns a found tool is offered; a call renews that. Default 5. */
  readonly ttl?: number | undefined;
  /** How many tools one search can find. Default 5. */
  readonly limit?: number | undefined;
  /** The name of the search tool. Default `find_tools`, or `find_tools_by_pattern`. */
  readonly name?: string | undefined;
}

/** Throws `CONFIG_INVALID` for a registry that cannot be searched, and for unknown options. */
function checkSearch(subject: string, registry: SearchableTools, options: SearchToolOptions): void {
  const unchecked: Partial<SearchableTools> | null | undefined = registry;
  if (typeof unchecked?.hiddenTools !== 'function')
    throw invalidOption(subject, 'the first argument', 'a registry', unchecked);
  checkNumber(subject, 'ttl', options.ttl, 1);
  checkNumber(subject, 'limit', options.limit, 1);
}

const DEFAULT_LIMIT = 5;
const MAX_PATTERN_LENGTH = 200;
const MAX_PATTERN_STEPS = 5_000_000;

/** Creates the tool with which a model finds hidden tools by words. Found tools are on offer from the next turn on. */
export function searchTool(registry: SearchableTools, options: SearchToolOptions = {}): ToolBinding {
  checkSearch('searchTool', registry, options);
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
      if (query.trim() === '')
        throw invalidQuery('the query is empty.', 'Describe in a few words what the tool should do.');
      await registry.available?.();
      return promoteFound(
        registry,
        find(query, options.limit ?? DEFAULT_LIMIT),
        `"${truncate(query, 60)}"`,
        options.ttl,
      );
    },
  );
}

/** Creates the tool with which a model finds hidden tools by a regular expression over names and descriptions. A slow pattern is rejected. */
export function patternSearchTool(registry: SearchableTools, options: SearchToolOptions = {}): ToolBinding {
  checkSearch('patternSearchTool', registry, options);
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
      if (pattern.trim() === '') throw invalidQuery('the pattern is empty.', 'Give a part of a name.');
      if (pattern.length > MAX_PATTERN_LENGTH) {
        throw invalidQuery(
          `the pattern has ${pattern.length} characters; ${MAX_PATTERN_LENGTH} are allowed.`,
          'Use a shorter one.',
        );
      }
      const tools = registry.hiddenTools();
      const search = createSearch(toCaseInsensitive(pattern));
      const budget = { left: MAX_PATTERN_STEPS };
      const isFound = ({ name, description }: Tool): boolean => search(`${name} ${description}`, budget) !== -1;
      let names: readonly string[];
      try {
        names = tools.filter(isFound).map((tool) => tool.name);
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
        throw invalidQuery('the pattern takes too many steps.', 'Use a simpler one, without back references.');
      }
      return promoteFound(
        registry,
        names.slice(0, options.limit ?? DEFAULT_LIMIT),
        `/${truncate(pattern, 60)}/`,
        options.ttl,
      );
    },
  );
}

function toCaseInsensitive(pattern: string): RegExp {
  try {
    return new RegExp(pattern, 'i');
  } catch {
    throw invalidQuery(
      'the pattern is not a valid regular expression.',
      'Escape special characters with a backslash, or use plain words.',
    );
  }
}

function promoteFound(
  registry: SearchableTools,
  names: readonly string[],
  query: string,
  ttl: number | undefined,
): ReturnType<typeof toolResult> {
  if (names.length === 0) {
    return toolResult(`No further tool matches ${query}. Try other or more general words, one or two at a time.`);
  }
  const tools = new Map(registry.hiddenTools().map((tool) => [tool.name, tool]));
  registry.promote(names, ttl);
  const lines = names.map((name) => `- \`${name}\` - ${truncate(tools.get(name)?.description ?? '', 200)}`);
  return toolResult(`These tools can be called now:\n${lines.join('\n')}`);
}

function invalidQuery(message: string, hint: string): KernelError {
  return new KernelError('ARGUMENTS_INVALID', message, { hint });
}
