import { checkChoice, type ToolWithHandler } from '@kernel/protocol';
import { type MessageChannel, messageTool } from '../messages/message-tool.ts';
import type { PermissionRule } from '../permissions/types.ts';
import { fetchUrlTool, type FetchUrlOptions } from '../web/fetch-url.ts';
import type { SearchEngine } from '../web/search/types.ts';
import { webSearchTool } from '../web/search/web-search.ts';
import type { Workspace } from '../workspace/index.ts';
import { changingTools, filesFor, modeRules, protectedPaths } from './mode-rules.ts';
import type { AgentSetup, AgentMode } from './types.ts';

/** Options of `blogAgent`. */
export interface BlogAgentOptions {
  /** The folder with drafts and posts. */
  readonly workspace: Workspace;
  /** What the agent may do: only `act` changes files and publishes. Default `act`. */
  readonly mode?: AgentMode | undefined;
  /** How feeds and pages are loaded; false to load none. Default: from public addresses only. */
  readonly fetch?: FetchUrlOptions | false | undefined;
  /** The search engine for the web. Default: none. */
  readonly search?: SearchEngine | undefined;
  /** Where it can publish to, such as a webhook. Default: nowhere. */
  readonly channels?: readonly MessageChannel[] | undefined;
  /** More tools, such as `scheduleTool` for a calendar. */
  readonly tools?: readonly ToolWithHandler[] | undefined;
}

const RULES: readonly PermissionRule[] = [{ allow: 'web_search' }];
const INSTRUCTIONS = [
  'You write posts as Markdown files in the workspace. Paths are relative to it.',
  'Read what is there before you write: the style, the front matter and the names of earlier posts are the model for new ones.',
  'Check facts at their source, and link it. Say what you could not check.',
];
const LAST = {
  act: 'Publish only what the user has asked to be published.',
  other: 'You cannot change anything. Say what you would write, and where.',
};

/** Creates `blog_agent`: files, feeds and pages, search, and a way to publish. */
export function blogAgent(options: BlogAgentOptions): AgentSetup {
  checkChoice('blogAgent', 'mode', options.mode, ['read-only', 'plan', 'act']);
  const { workspace, mode = 'act', search, channels = [], tools = [] } = options;
  const isActing = mode === 'act';
  return {
    name: 'blog_agent',
    description: 'Finds out about a subject, writes posts and publishes them.',
    instructions: [...INSTRUCTIONS, isActing ? LAST.act : LAST.other].join('\n'),
    tools: [
      ...filesFor(workspace, mode),
      ...(options.fetch === false ? [] : [fetchUrlTool(options.fetch)]),
      ...(search === undefined ? [] : [webSearchTool(search)]),
      ...(channels.length === 0 || !isActing ? [] : [messageTool(channels)]),
      ...tools,
    ],
    rules: isActing ? [...RULES, protectedPaths(changingTools(workspace))] : [...RULES, ...modeRules(workspace, mode)],
    missing: search === undefined ? ['No search engine is configured, so the web cannot be searched.'] : [],
    close: () => Promise.resolve(),
  };
}
