import { objectSchema } from '../../object-schema.ts';
import { visibleText, visibleLine } from '@kernel/internal';
import type { Tool, ToolWithHandler, ToolResult } from '@kernel/protocol';
import { decodeText, detectFormat, type TextFormat } from '../../text/encoding.ts';
import { quote, toolError, unlessMissing } from '../../workspace/errors.ts';
import type { FileContent, Workspace } from '../../workspace/index.ts';
import { alikeNote, bounded, count, noteSeen, staleNote } from '../describe.ts';
import { noteAtEnd } from '../read-lines.ts';
import { checkLoss, endingOf, MAX_EDITED_BYTES, nameOf, toContent } from '../text-file.ts';

const MAX_COMPARED = 1_048_576;
const MAX_SHOWN = 20_000;

const tool: Tool = {
  name: 'write_file',
  title: 'Write a file',
  description: 'Writes a whole text file of the workspace; replaces one that exists. Missing folders are made.',
  parameters: objectSchema(['path', 'content'], {
    path: { type: 'string', minLength: 1, description: 'Path of the file.' },
    content: { type: 'string', description: 'All of its text.' },
  }),
  effect: 'write',
  metadata: { category: 'code', usageHint: 'To create a file, or to replace all of its text.' },
};

const UTF_8: TextFormat = { encoding: 'utf-8', bomLength: 0 };

/**
 * Creates the tool `write_file`. A file that is replaced keeps its encoding and byte order mark; one with bytes that are not UTF-8 is not replaced by a text
 * that has U+FFFD in their place. The user sees a unified diff from the previous content, the model the numbers of lines and bytes.
 */
export function writeFileTool(workspace: Workspace): ToolWithHandler {
  return {
    tool,
    handler: async ({ content, path }: { readonly path: string; readonly content: string }, { signal }) => {
      const note = noteAtEnd(content);
      if (note !== undefined)
        throw toolError(
          `The content ends with a note that read_file added, ${quote(note)}. Nothing was changed. Write it without that; if more of the file follows, use edit_file.`,
        );
      const before = await unlessMissing(workspace.read(path, { length: MAX_COMPARED, signal }));
      const stale = before === undefined ? '' : staleNote(workspace, before);
      const format = (before && detectFormat(before.bytes)) ?? UTF_8;
      if (before !== undefined && content.includes('\uFFFD')) await checkWholeFile(workspace, path, content, signal);
      // The mark is not a part of what read_file shows, and the file keeps its own.
      const bytes = toContent(path, format, format.bomLength > 0 ? content.replace(/^\uFEFF/, '') : content);
      const { id } = await workspace.write(path, bytes, { ifVersion: before?.version ?? 'absent', signal });
      noteSeen(workspace, await workspace.stat(path, { signal }));
      const encoding = format.encoding === 'utf-8' ? '' : ` of ${nameOf(format)}`;
      const size = `${count(linesOf(content), 'line')}, ${count(Buffer.byteLength(bytes), 'byte')}${encoding}`;
      const done = before === undefined ? 'Created' : 'Replaced';
      const alike = before === undefined ? await alikeNote(workspace, path, signal) : '';
      const endings = before === undefined ? '' : endingsNote(before, content);
      const result: ToolResult = {
        forLLM: `${done} ${quote(path)} (${size}; change ${id}).${stale}${endings}${alike}`,
        forUser: visibleText(await difference(visibleLine(path), before, content)),
      };
      return result;
    },
  };
}

async function checkWholeFile(workspace: Workspace, path: string, content: string, signal: AbortSignal): Promise<void> {
  const { bytes } = await workspace.read(path, { maxBytes: MAX_EDITED_BYTES, signal });
  const format = detectFormat(bytes);
  if (format !== undefined) checkLoss(path, decodeText(bytes, format), content);
}

function endingsNote({ bytes }: FileContent, content: string): string {
  const format = detectFormat(bytes);
  const before = format === undefined ? '' : decodeText(bytes, format);
  const [was, is] = [endingOf(before), endingOf(content)];
  if (was === is || !before.includes('\n') || !content.includes('\n')) return '';
  return ` Its lines ended with ${JSON.stringify(was).slice(1, -1)}, and now with ${JSON.stringify(is).slice(1, -1)}.`;
}

function linesOf(text: string): number {
  return text === '' ? 0 : text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
}

async function difference(path: string, before: FileContent | undefined, content: string): Promise<string> {
  const isLong = content.length > MAX_COMPARED || (before?.size ?? 0) > MAX_COMPARED;
  const format = before === undefined ? UTF_8 : detectFormat(before.bytes);
  if (isLong || format === undefined)
    return `${path}: ${before?.size ?? 0} bytes replaced by ${Buffer.byteLength(content)}.`;
  const { createTwoFilesPatch } = await import('diff');
  const old = before === undefined ? '' : decodeText(before.bytes, format);
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
