import type { ToolCall } from '@kernel/protocol';
import { applyPatchTool, editFileTool, writeFileTool } from '@kernel/toolbox/files';
import { overlayWorkspace, type Workspace } from '@kernel/toolbox/workspace';
import { createRegistry } from '@kernel/tools';

/** What a call would change: its diff, or the sentence that says why it would fail. */
export type ChangePreview = { readonly diff: string } | { readonly failure: string };

/** Finds out what a call would change, before somebody decides on it; `undefined` for a call of a tool that has no diff. */
export type PreviewChange = (call: ToolCall, signal: AbortSignal) => Promise<ChangePreview | undefined>;

/** Tries calls of the tools that write text on an overlay of a workspace, which is dropped: nothing is written. */
export function createPreview(workspace: Workspace): PreviewChange {
  return async (call, signal) => {
    const overlay = overlayWorkspace(workspace);
    const tools = createRegistry([applyPatchTool(overlay), editFileTool(overlay), writeFileTool(overlay)]);
    if (!tools.list().some(({ name }) => name === call.name)) return undefined;
    const { isError, forUser, forLLM } = await tools.call(call, { signal });
    overlay.discard();
    if (isError === true) return { failure: forLLM };
    return forUser === undefined ? undefined : { diff: forUser };
  };
}
