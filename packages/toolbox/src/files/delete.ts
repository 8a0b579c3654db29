import { objectSchema } from '../object-schema.ts';
import type { Tool, ToolWithHandler } from '@kernel/protocol';
import { quote } from '../workspace/errors.ts';
import type { Workspace } from '../workspace/index.ts';
import { count } from './describe.ts';

const tool: Tool = {
  name: 'delete',
  title: 'Delete a file or folder',
  description: 'Deletes a file or folder of the workspace. It is kept until the run ends, and undo brings it back.',
  parameters: objectSchema(['path'], {
    path: { type: 'string', minLength: 1, description: 'Path of the file or folder.' },
    recursive: { type: 'boolean', description: 'Whether a folder is deleted with all that is in it.' },
  }),
  effect: 'write',
  metadata: { category: 'code', usageHint: 'To delete or remove a file or folder.' },
};

/** Creates the tool `delete`. What it removes is kept in the state of the workspace, and the result says how to restore it. */
export function deleteTool(workspace: Workspace): ToolWithHandler {
  return {
    tool,
    handler: async ({ path, recursive }: { readonly path: string; readonly recursive?: boolean }, { signal }) => {
      const { id, paths } = await workspace.remove(path, { recursive, signal });
      const files = paths.filter(({ what }) => what === 'removed').length;
      return `Deleted ${quote(path)} (${count(files, 'file')}). It comes back with undo, change ${JSON.stringify(id)}.`;
    },
  };
}
