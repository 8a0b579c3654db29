import type { Tool } from '@kernel/protocol';

const text = { type: 'string' };

/**
 * The tool to implement for `shell()`. Its handler returns an array of `{ stdout, stderr, outcome: { type: 'exit', exit_code } }`, one for each
 * command, or the output of a single command as text: https://platform.openai.com/docs/guides/tools-shell
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

/** The tool to implement for `applyPatch()`: https://platform.openai.com/docs/guides/tools-apply-patch */
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
 * The tool to implement for `mcpServer()`: it is called to approve each call of a tool of a hosted MCP server. Its handler returns its input to allow
 * the call; any other result, such as the input of an edited call, denies it. `arguments` is a string if it is not JSON that parses without loss.
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
