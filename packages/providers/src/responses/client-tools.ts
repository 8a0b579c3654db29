import type { Tool } from '@kernel/protocol';

const text = { type: 'string' };

/**
 * What the model calls through `shell()`. Its handler returns a list of `{ stdout, stderr, outcome: { type: 'exit', exit_code } }`, one for each
 * command, or the text of one: https://platform.openai.com/docs/guides/tools-shell
 */
export const SHELL_TOOL: Tool = Object.freeze({
  name: 'shell',
  description: 'Runs commands in a shell.',
  parameters: {
    type: 'object',
    properties: {
      commands: { type: 'array', items: text },
      timeout_ms: { type: 'integer' },
      max_output_length: { type: 'integer' },
    },
    required: ['commands'],
  },
  effect: 'external',
});

/** What the model calls through `applyPatch()`: https://platform.openai.com/docs/guides/tools-apply-patch */
export const APPLY_PATCH_TOOL: Tool = Object.freeze({
  name: 'apply_patch',
  description: 'Creates, changes or deletes a file.',
  parameters: {
    type: 'object',
    properties: {
      type: { type: 'string', enum: ['create_file', 'update_file', 'delete_file'] },
      path: text,
      diff: text,
    },
    required: ['type', 'path'],
  },
  effect: 'write',
});

/**
 * The question whether the vendor may call a tool of a hosted MCP server. Its handler returns its input to allow the call: any other result, such as that
 * of an edited call, denies it. `arguments` are text where they are not exact JSON.
 */
export const MCP_APPROVAL_TOOL: Tool = Object.freeze({
  name: 'mcp_approval',
  description: 'Asks whether a tool of a hosted MCP server may run.',
  parameters: {
    type: 'object',
    properties: { server_label: text, name: text, arguments: {} },
    required: ['server_label', 'name'],
  },
  effect: 'external',
});
