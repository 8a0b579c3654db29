import { callTool, type ToolCall, type ToolResult } from '@kernel/protocol';
import { applyPatchTool, editFileTool, writeFileTool } from '@kernel/toolbox/files';
import {
  type OverlayWorkspace,
  overlayWorkspace,
  withCachedEditorReads,
  type Workspace,
} from '@kernel/toolbox/workspace';
import { createRegistry } from '@kernel/tools';
import { readAgentPatch } from './agent-requests.ts';
import type { ChangePreview } from './approval-scope.ts';

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

/**
 * Previews a call of a tool that writes text: its diff, or why it would fail. Resolves to undefined for a tool that has
 * no diff.
 */
export async function previewChange(
  workspace: Workspace,
  call: ToolCall,
  signal: AbortSignal,
): Promise<ChangePreview | undefined> {
  const { call: plain, notes } = readAgentPatch(call);
  const preview = await withCachedEditorReads(() =>
    tryChange(workspace, plain, signal, ({ isError, forUser, forLLM }): ChangePreview | undefined =>
      isError === true ? { failure: forLLM } : forUser === undefined ? undefined : { diff: forUser },
    ),
  );
  if (plain === call || preview === undefined) return preview;
  // Not all of what an agent changed must fit, and a file may take the place of a folder: that it would fail is not
  // known of its patch.
  return 'failure' in preview ? undefined : { diff: [preview.diff.trimEnd(), ...notes].join('\n') };
}
