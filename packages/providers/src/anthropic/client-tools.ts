import type { Tool } from '@kernel/protocol';

const text = { type: 'string' };
const path = { type: 'string', description: 'A path.' };
const range = { type: 'array', items: { type: 'integer' }, minItems: 2, maxItems: 2 };
const commands = (...names: readonly string[]) => ({ type: 'string', enum: names });

/** The tool to implement for `bash()`: https://docs.claude.com/en/docs/agents-and-tools/tool-use/bash-tool */
export const BASH_TOOL: Tool = Object.freeze({
  name: 'bash',
  description: 'Runs a command in a persistent shell.',
  parameters: { type: 'object', properties: { command: text, restart: { type: 'boolean' } } },
  effect: 'external',
});

/** The tool to implement for `textEditor()`: https://docs.claude.com/en/docs/agents-and-tools/tool-use/text-editor-tool */
export const TEXT_EDITOR_TOOL: Tool = Object.freeze({
  name: 'str_replace_based_edit_tool',
  description: 'Shows, creates and edits text files.',
  parameters: {
    type: 'object',
    properties: {
      command: commands('view', 'str_replace', 'create', 'insert'),
      path,
      view_range: range,
      old_str: text,
      new_str: text,
      file_text: text,
      insert_line: { type: 'integer' },
      insert_text: text,
    },
    required: ['command', 'path'],
  },
  effect: 'write',
});

/** The tool to implement for `memory()`: https://docs.claude.com/en/docs/agents-and-tools/tool-use/memory-tool */
export const MEMORY_TOOL: Tool = Object.freeze({
  name: 'memory',
  description: 'Keeps notes in files under /memories.',
  parameters: {
    type: 'object',
    properties: {
      command: commands('view', 'create', 'str_replace', 'insert', 'delete', 'rename'),
      path,
      view_range: range,
      old_str: text,
      new_str: text,
      file_text: text,
      insert_line: { type: 'integer' },
      insert_text: text,
      old_path: path,
      new_path: path,
    },
    required: ['command'],
  },
  effect: 'write',
});
