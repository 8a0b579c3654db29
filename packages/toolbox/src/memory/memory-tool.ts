import { objectSchema } from '../object-schema.ts';
import type { Tool, ToolWithHandler, ToolResult } from '@kernel/protocol';
import { toolError } from '../workspace/errors.ts';
import type { Workspace } from '../workspace/index.ts';
import { COMMANDS, type MemoryInput } from './commands.ts';
import { memoryFiles, type MemoryLimits } from './memory-files.ts';

const tool: Tool = {
  name: 'memory',
  title: 'Memory',
  description: 'Text files in /memories that last across conversations. View /memories before a task.',
  parameters: objectSchema(['command'], {
    command: { type: 'string', enum: ['view', 'create', 'str_replace', 'insert', 'delete', 'rename'] },
    path: { type: 'string', description: '/memories or below' },
    view_range: { type: 'array', items: { type: 'integer' }, description: '[first, last] line; -1 is the end' },
    file_text: { type: 'string', description: 'for create' },
    old_str: { type: 'string', description: 'occurs once' },
    new_str: { type: 'string' },
    insert_line: { type: 'integer', description: 'to insert after; 0 is the beginning' },
    insert_text: { type: 'string' },
    old_path: { type: 'string', description: 'for rename' },
    new_path: { type: 'string' },
  }),
  effect: 'write',
  metadata: { category: 'memory', usageHint: 'To look up or keep what should be known in later conversations.' },
};

/**
 * Creates the tool `memory`: the commands, arguments and texts of Anthropic's memory tool (`memory_20250818`), for any model, over a workspace that
 * allows writing. `/memories` is its root. The user sees what was written as a diff. Processes that write at the same time do not lose each other's
 * changes; undo is that of the workspace.
 *
 * @example
 * ```ts
 * import { memoryTool } from '@kernel/toolbox/memory';
 * import { createWorkspace } from '@kernel/toolbox/workspace';
 * import { createRegistry } from '@kernel/tools';
 *
 * const tools = createRegistry([memoryTool(await createWorkspace({ root: 'memory', write: ['**'] }))]);
 * ```
 */
export function memoryTool(workspace: Workspace, limits: MemoryLimits = {}): ToolWithHandler {
  const files = memoryFiles('memoryTool', workspace, limits);
  return {
    tool,
    handler: async (input: MemoryInput, { signal }): Promise<string | ToolResult> => {
      const run = Object.hasOwn(COMMANDS, input.command) ? COMMANDS[input.command] : undefined;
      if (run === undefined) throw toolError(`There is no command ${JSON.stringify(input.command)}.`);
      return run(files, input, signal);
    },
  };
}
