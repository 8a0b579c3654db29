import type { ToolCall } from '@kernel/protocol';
import type { Workspace } from '@kernel/toolbox/workspace';
import { readAgentPatch } from './agent-requests.ts';
import type { ChangePreview } from './approval-scope.ts';
import { tryChange } from './try-change.ts';

/** Previews a call of a tool that writes text: its diff, or why it would fail. Resolves to undefined for a tool that has no diff. */
export async function previewChange(
  workspace: Workspace,
  call: ToolCall,
  signal: AbortSignal,
): Promise<ChangePreview | undefined> {
  const { call: plain, notes } = readAgentPatch(call);
  const preview = await tryChange(workspace, plain, signal, ({ isError, forUser, forLLM }): ChangePreview | undefined =>
    isError === true ? { failure: forLLM } : forUser === undefined ? undefined : { diff: forUser },
  );
  if (plain === call || preview === undefined) return preview;
  // Not all of what an agent changed must fit, and a file may take the place of a folder: that it would fail is not known of its patch.
  return 'failure' in preview ? undefined : { diff: [preview.diff.trimEnd(), ...notes].join('\n') };
}
