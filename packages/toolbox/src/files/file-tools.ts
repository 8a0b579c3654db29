import type { ToolWithHandler } from '@kernel/protocol';
import type { Workspace } from '../workspace/index.ts';
import { deleteTool } from './delete.ts';
import { editFileTool } from './edit/edit-file.ts';
import { writeFileTool } from './edit/write-file.ts';
import { globTool } from './glob.ts';
import { listDirectoryTool } from './list-directory.ts';
import { moveTool } from './move.ts';
import { applyPatchTool } from './patch/apply-patch.ts';
import { readFileTool } from './read-file.ts';
import { searchTextTool, type SearchTextOptions } from './search/search-text.ts';
import { undoTool } from './undo.ts';

export {
  applyPatchTool,
  deleteTool,
  editFileTool,
  globTool,
  listDirectoryTool,
  moveTool,
  readFileTool,
  searchTextTool,
  undoTool,
  writeFileTool,
};
export type { SearchTextOptions };

/**
 * Returns all file tools: those that read, then those that write. The rules of the workspace decide what they may do.
 *
 * @example
 * ```ts
 * import { fileTools } from '@kernel/toolbox/files';
 * import { memoryWorkspace } from '@kernel/toolbox/workspace';
 * import { createRegistry } from '@kernel/tools';
 *
 * const tools = createRegistry(fileTools(memoryWorkspace({ 'a.txt': 'one' })));
 * ```
 */
export function fileTools(workspace: Workspace, options: SearchTextOptions = {}): readonly ToolWithHandler[] {
  return [
    readFileTool(workspace),
    listDirectoryTool(workspace),
    globTool(workspace),
    searchTextTool(workspace, options),
    writeFileTool(workspace),
    editFileTool(workspace),
    applyPatchTool(workspace),
    moveTool(workspace),
    deleteTool(workspace),
    undoTool(workspace),
  ];
}
