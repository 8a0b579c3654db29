import { type ToolBundle, defineBundle } from '../bundle.ts';

/** Tools for agents that work on code, by the names of `@kernel/toolbox`; `codeAgent` there has them. */
export const CODE_AGENT: ToolBundle = defineBundle({
  name: 'code_agent',
  description: 'Standard tools for code manipulation agents',
  required: ['read_file', 'list_directory', 'glob', 'search_text', 'write_file', 'edit_file', 'run_command'],
  optional: ['apply_patch', 'move', 'delete', 'undo', 'read_output', 'stop_command', 'fetch_url', 'web_search'],
});

/** Tools for writing a blog, by the names of `@kernel/toolbox`; `blogAgent` there has them. */
export const BLOG_AGENT: ToolBundle = defineBundle({
  name: 'blog_agent',
  description: 'Tools for blog content creation',
  required: [],
  optional: ['read_file', 'write_file', 'edit_file', 'search_text', 'fetch_url', 'web_search', 'schedule', 'message'],
});
