import type { Tool } from '@kernel/protocol';
import { bindTool, type ToolBinding } from '@kernel/tools';
import { isBinary } from '../workspace/is-binary.ts';
import { toolError } from '../tool-error.ts';
import type { Workspace } from '../workspace/workspace.ts';

const MAX_BYTES = 262_144;

const tool: Tool = {
  name: 'read_file',
  title: 'Read a file',
  description: 'Reads a text file of the workspace and returns its content.',
  parameters: {
    type: 'object',
    properties: {
      path: {
        type: 'string',
        minLength: 1,
        description: 'Path of the file, relative to the workspace, such as "package.json".',
      },
    },
    required: ['path'],
    additionalProperties: false,
  },
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

/** Binds `read_file`: at most 256 KiB of a text file inside the workspace. */
export function readFileTool(workspace: Workspace): ToolBinding {
  return bindTool<{ path: string }>(tool, async ({ path }) => {
    const { file, stats } = await workspace.openFile(path);
    try {
      const buffer = Buffer.alloc(Math.min(stats.size, MAX_BYTES));
      const { bytesRead } = await file.read(buffer, 0, buffer.length, 0);
      const bytes = buffer.subarray(0, bytesRead);
      if (isBinary(bytes)) throw toolError(`"${path}" is a binary file (${stats.size} bytes), not text.`);
      const text = new TextDecoder().decode(bytes, { stream: stats.size > MAX_BYTES });
      return stats.size > MAX_BYTES ? `${text}\n… (the first ${MAX_BYTES} of ${stats.size} bytes)` : text;
    } finally {
      await file.close();
    }
  });
}
