import { objectSchema } from '../object-schema.ts';
import type { Tool, ToolWithHandler } from '@kernel/protocol';
import { quote } from '../workspace/errors.ts';
import type { Workspace } from '../workspace/index.ts';

const tool: Tool = {
  name: 'move',
  title: 'Move or rename',
  description: 'Moves or renames a file or folder of the workspace. Fails if something is at the new path.',
  parameters: objectSchema(['from', 'to'], {
    from: { type: 'string', minLength: 1, description: 'Its path.' },
    to: { type: 'string', minLength: 1, description: 'Its new path, with its name.' },
  }),
  effect: 'write',
  metadata: { category: 'code', usageHint: 'To move or rename a file or folder.' },
};

/** Creates the tool `move`. Missing folders are created; nothing is replaced. */
export function moveTool(workspace: Workspace): ToolWithHandler {
  return {
    tool,
    handler: async ({ from, to }: { readonly from: string; readonly to: string }, { signal }): Promise<string> => {
      const { id } = await workspace.move(from, to, { signal });
      return `Moved ${quote(from)} to ${quote(to)} (change ${id}).`;
    },
  };
}
