import type { ToolCall } from '@kernel/protocol';
import { applyPatchTool, editFileTool, writeFileTool } from '@kernel/toolbox/files';
import { overlayWorkspace, type Workspace } from '@kernel/toolbox/workspace';
import { createRegistry } from '@kernel/tools';
import type { ChangePreview } from './approval-scope.ts';

/** Tries a call of a tool that writes text on an overlay of the workspace, which is dropped: nothing is written. `undefined` for a tool that has no diff. */
export async function previewChange(
  workspace: Workspace,
  call: ToolCall,
  signal: AbortSignal,
): Promise<ChangePreview | undefined> {
  const overlay = overlayWorkspace(workspace);
  const tools = createRegistry([applyPatchTool(overlay), editFileTool(overlay), writeFileTool(overlay)]);
  if (!tools.list().some(({ name }) => name === call.name)) return undefined;
  const { isError, forUser, forLLM } = await tools.call(call, { signal });
  overlay.discard();
  if (isError === true) return { failure: forLLM };
  return forUser === undefined ? undefined : { diff: forUser };
}
