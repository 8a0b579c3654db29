import { callTool, type ToolCall, type ToolResult } from '@kernel/protocol';
import { applyPatchTool, editFileTool, writeFileTool } from '@kernel/toolbox/files';
import { type OverlayWorkspace, overlayWorkspace, type Workspace } from '@kernel/toolbox/workspace';
import { createRegistry } from '@kernel/tools';

/**
 * Tries a call of a tool that writes text on an overlay of the workspace, which is dropped: nothing is written. Resolves to what `read` makes of the result and the
 * overlay; to undefined for any other tool.
 */
export async function tryChange<Value>(
  workspace: Workspace,
  call: ToolCall,
  signal: AbortSignal,
  read: (result: ToolResult, overlay: OverlayWorkspace) => Value | Promise<Value>,
): Promise<Value | undefined> {
  const overlay = overlayWorkspace(workspace);
  try {
    const tools = createRegistry([applyPatchTool(overlay), editFileTool(overlay), writeFileTool(overlay)]);
    if (!tools.list().some(({ name }) => name === call.name)) return undefined;
    return await read(await callTool(tools, call, { signal }), overlay);
  } finally {
    overlay.discard();
  }
}
