import { objectSchema } from '../object-schema.ts';
import type { MediaPart, Tool, ToolWithHandler, ToolResult } from '@kernel/protocol';
import { toBase64 } from '@kernel/internal';
import { createFormatDecoder, decodeText, detectFormat, mediaTypeOf } from '../text/encoding.ts';
import { quote, toolError } from '../workspace/errors.ts';
import type { Workspace } from '../workspace/index.ts';
import { readLines, withNote } from './read-lines.ts';
import { noteSeen } from './describe.ts';

const MAX_BYTES = 262_144;
const MAX_MEDIA_BYTES = 10 * 1024 * 1024;

const tool: Tool = {
  name: 'read_file',
  title: 'Read a file',
  description: 'Reads a text file of the workspace and returns its content; an image or a PDF is shown to you.',
  parameters: objectSchema(['path'], {
    path: {
      type: 'string',
      minLength: 1,
      description: 'Path of the file, relative to the workspace, such as "package.json".',
    },
    offset: { type: 'integer', minimum: 1, description: 'The first line, from 1.' },
    column: { type: 'integer', minimum: 1, description: 'Where to begin in that line, if it is too long.' },
    limit: { type: 'integer', minimum: 1, description: 'The most that are returned.' },
    numbered: { type: 'boolean', description: 'Prefixes numbers.' },
  }),
  effect: 'read',
  metadata: {
    category: 'code',
    usageHint:
      'To open, show, print, view or cat a file: its contents, its text, what is written in it, what it says or contains.',
    examples: [
      { description: 'Read package.json', input: { path: 'package.json' } },
      { description: 'What does README.md say?', input: { path: 'README.md' } },
      { description: 'What is in turbo.json?', input: { path: 'turbo.json' } },
    ],
  },
};

interface Input {
  readonly path: string;
  readonly offset?: number;
  readonly column?: number;
  readonly limit?: number;
  readonly numbered?: boolean;
}

/**
 * Creates the tool `read_file`: at most 256 KiB of a text file, by lines on request; images and PDFs up to 10 MiB as media of the result. A note says where to
 * go on, in which encoding a text is that is not UTF-8, and how many bytes are shown as U+FFFD.
 */
export function readFileTool(workspace: Workspace): ToolWithHandler {
  return {
    tool,
    handler: async (input: Input, { signal }): Promise<string | ToolResult> => {
      const { path, ...part } = input;
      const { bytes: head, ...info } = await workspace.read(path, { length: MAX_BYTES, signal });
      noteSeen(workspace, info);
      const mimeType = mediaTypeOf(head);
      if (mimeType !== undefined) {
        if (info.size > MAX_MEDIA_BYTES)
          throw toolError(`${quote(path)} has ${info.size} bytes; of media at most ${MAX_MEDIA_BYTES} are read.`);
        return mediaResult(path, mimeType, (await workspace.read(path, { maxBytes: MAX_MEDIA_BYTES, signal })).bytes);
      }
      const format = detectFormat(head);
      if (format === undefined) throw toolError(`${quote(path)} is a binary file (${info.size} bytes), not text.`);
      if (Object.values(part).some((value) => value !== undefined && value !== false))
        return readLines(workspace, { ...input, size: info.size, format, maxLength: MAX_BYTES, signal });
      if (info.size <= head.length) return withNote(decodeText(head, format), format);
      const text = createFormatDecoder(format).write(head.subarray(format.bomLength));
      const next = { line: text.split('\n').length, column: text.length - text.lastIndexOf('\n') };
      return withNote(text, format, `the first ${MAX_BYTES} of ${info.size} bytes`, next);
    },
  };
}

function mediaResult(path: string, mimeType: string, bytes: Uint8Array): ToolResult {
  const media: MediaPart = {
    type: mimeType.startsWith('image/') ? 'image' : 'file',
    mimeType,
    data: toBase64(bytes),
    name: path.split('/').at(-1) ?? path,
  };
  return { forLLM: `${quote(path)} (${mimeType}, ${bytes.length} bytes) is attached.`, media: [media] };
}
