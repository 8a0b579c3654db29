import type { ToolWithHandler } from '@kernel/protocol';
import { globTool, listDirectoryTool, readFileTool, searchTextTool } from '@kernel/toolbox/files';
import type { Workspace } from '@kernel/toolbox/workspace';
import type { ToolBinding } from '@kernel/tools';
import { calculateTool } from './calculate.ts';
import { convertUnitsTool } from './convert-units.ts';
import { datetimeTool } from './datetime.ts';
import { inspectTextTool } from './inspect-text.ts';

/** The tools that the program always offers. All of them only read, and the file tools see only the workspace. */
export function builtInTools(workspace: Workspace): readonly (ToolBinding | ToolWithHandler)[] {
  return [
    datetimeTool(),
    calculateTool(),
    convertUnitsTool(),
    inspectTextTool(workspace),
    readFileTool(workspace),
    listDirectoryTool(workspace),
    globTool(workspace),
    searchTextTool(workspace),
  ];
}
