import { type ToolBundle, defineBundle } from '../bundle.ts';

/** Standard tools for agents that work on code. */
export const CODE_AGENT: ToolBundle = defineBundle({
  name: 'code_agent',
  description: 'Standard tools for code manipulation agents',
  required: ['file', 'code_edit', 'search', 'navigate', 'git'],
  optional: ['bash', 'test', 'web_search'],
});

/** Tools for writing a blog. */
export const BLOG_AGENT: ToolBundle = defineBundle({
  name: 'blog_agent',
  description: 'Tools for blog content creation',
  required: [],
  optional: ['rss_feed', 'calendar', 'static_links', 'blog_notion', 'web_search'],
});
