import { objectSchema } from '../object-schema.ts';
import type { Tool, ToolWithHandler } from '@kernel/protocol';
import { quote } from '../workspace/errors.ts';
import type { Change, Workspace } from '../workspace/index.ts';

const MAX_SHOWN = 20;

const tool: Tool = {
  name: 'undo',
  title: 'Take a change back',
  description: 'Takes back the last change of files in this run, or the one named. Fails if the files changed since.',
  parameters: objectSchema([], {
    change: { type: 'string', description: 'The id that the change was reported with.' },
  }),
  effect: 'write',
  metadata: { category: 'code', usageHint: 'To take back an edit, a move or a deletion.' },
};

/** Creates the tool `undo`, for changes made through the workspace. */
export function undoTool(workspace: Workspace): ToolWithHandler {
  return {
    tool,
    handler: async ({ change }: { readonly change?: string }, { signal }): Promise<string> => {
      const undone = await workspace.undo({ id: change, signal });
      return undone.map(sentence).join('\n');
    },
  };
}

function sentence({ id, paths }: Change): string {
  const shown = paths.slice(0, MAX_SHOWN).map(({ path, what }) => `${quote(path)} (was ${what.replace('-', ' ')})`);
  const rest = paths.length - shown.length;
  return `Took back change ${id}: ${shown.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}.`;
}
