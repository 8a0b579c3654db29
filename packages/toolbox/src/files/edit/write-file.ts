import type { Tool, ToolImplementation, ToolResult } from '@kernel/protocol';
import { visibleText } from '../../text/visible.ts';
import { escapeUnseen, isMissing, quote } from '../../workspace/errors.ts';
import type { FileContent, Workspace } from '../../workspace/index.ts';
import { bounded, count } from '../describe.ts';
import { isBinary } from '../is-binary.ts';
import { noteSeen, staleNote } from '../seen.ts';

const MAX_COMPARED = 1_048_576;
const MAX_SHOWN = 20_000;

const tool: Tool = {
  name: 'write_file',
  title: 'Write a file',
  description: 'Writes a whole text file of the workspace; replaces one that exists. Missing folders are made.',
  parameters: {
    type: 'object',
    properties: {
      path: { type: 'string', minLength: 1, description: 'Path of the file.' },
      content: { type: 'string', description: 'All of its text.' },
    },
    required: ['path', 'content'],
    additionalProperties: false,
  },
  effect: 'write',
  metadata: { category: 'code', usageHint: 'To create a file, or to replace all of its text.' },
};

/** Creates the tool `write_file`. The user sees a unified diff from the previous content, the model the numbers of lines and bytes. */
export function writeFileTool(workspace: Workspace): ToolImplementation {
  return {
    tool,
    handler: async ({ content, path }: { readonly path: string; readonly content: string }, { signal }) => {
      const before = await workspace.read(path, { length: MAX_COMPARED, signal }).catch((error: unknown) => {
        if (isMissing(error)) return undefined;
        throw error;
      });
      const stale = before === undefined ? '' : staleNote(workspace, before);
      const { id } = await workspace.write(path, content, { ifVersion: before?.version ?? 'absent', signal });
      noteSeen(workspace, await workspace.stat(path, { signal }));
      const size = `${count(linesOf(content), 'line')}, ${count(Buffer.byteLength(content), 'byte')}`;
      const done = before === undefined ? 'Created' : 'Replaced';
      const result: ToolResult = {
        forLLM: `${done} ${quote(path)} (${size}; change ${id}).${stale}`,
        forUser: visibleText(await difference(escapeUnseen(path), before, content)),
      };
      return result;
    },
  };
}

function linesOf(text: string): number {
  return text === '' ? 0 : text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
}

/** What changed, as far as it can be told in bounded time. */
async function difference(path: string, before: FileContent | undefined, content: string): Promise<string> {
  const isLong = content.length > MAX_COMPARED || (before?.size ?? 0) > MAX_COMPARED;
  if (isLong || (before !== undefined && isBinary(before.bytes)))
    return `${path}: ${before?.size ?? 0} bytes replaced by ${Buffer.byteLength(content)}.`;
  const { createTwoFilesPatch } = await import('diff');
  const old = before === undefined ? '' : new TextDecoder().decode(before.bytes);
  const names = [before === undefined ? '/dev/null' : `a/${path}`, `b/${path}`] as const;
  const patch = createTwoFilesPatch(...names, old, content, undefined, undefined, {
    context: 3,
    maxEditLength: 500,
    timeout: 200,
  });
  return patch === undefined
    ? `${path}: ${before?.size ?? 0} bytes replaced by ${Buffer.byteLength(content)}.`
    : bounded(patch.replace(/^=+\n/, '').replaceAll('\t\n', '\n'), MAX_SHOWN);
}
