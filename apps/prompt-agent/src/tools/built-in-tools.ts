import type { ToolBinding } from '@kernel/tools';
import { calculateTool } from './calculate.ts';
import { datetimeTool } from './datetime.ts';
import { listDirectoryTool } from './list-directory.ts';
import { readFileTool } from './read-file.ts';
import { searchTextTool } from './search-text.ts';
import type { Workspace } from '../workspace/workspace.ts';

/** The tools that the program always offers. All of them only read, and the file tools see only the workspace. */
export function builtInTools(workspace: Workspace): readonly ToolBinding[] {
  return [
    datetimeTool(),
    calculateTool(),
    readFileTool(workspace),
    listDirectoryTool(workspace),
    searchTextTool(workspace),
  ];
}
