import { callTool, type KernelError, type ToolWithHandler, type ToolResult } from '@kernel/protocol';
import { createRegistry } from '@kernel/tools';
import { createWorkspace, type Workspace } from '../../src/workspace/index.ts';
import { folderWith } from '../workspace/folders.ts';

/** Calls tools as a run does: by name, with arguments as JSON that are validated. */
export function caller(...tools: readonly ToolWithHandler[]) {
  const registry = createRegistry(tools);
  return (name: string, input: object): Promise<ToolResult> =>
    callTool(
      registry,
      { type: 'tool-call', id: '1', name, arguments: JSON.stringify(input) },
      { signal: new AbortController().signal },
    );
}

/** A workspace on disk that may be written, with files. */
export async function writable(files: Readonly<Record<string, string | Uint8Array>> = {}): Promise<Workspace> {
  return createWorkspace({ root: folderWith(files), state: { folder: folderWith() }, write: ['**'] });
}

/** The message of a result's error. */
export function messageOf({ error }: ToolResult): string {
  return String((error as KernelError | undefined)?.message);
}
