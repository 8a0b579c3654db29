import type { Tool, ToolWithHandler } from '@kernel/protocol';
import type { Workspace } from '@kernel/toolbox';
import { decodeText } from '../files/read-file.ts';
import { toolError } from './tool-error.ts';
import { linesOf, TEXT_OPERATIONS, type TextOperation } from './text-operations.ts';

const MAX_BYTES = 8 * 1024 * 1024;
const MAX_RESULT = 262_144;

const tool: Tool = {
  name: 'inspect_text',
  title: 'Count and pick lines',
  description: 'Counts, picks or sorts the lines of a text or a file, or adds up its numbers, exactly.',
  parameters: {
    type: 'object',
    properties: {
      path: { type: 'string', minLength: 1, description: 'File, relative to the workspace.' },
      text: { type: 'string', description: 'The text itself, in place of path.' },
      operation: {
        type: 'string',
        enum: [...TEXT_OPERATIONS],
        description: 'unique: each line once, where it is first.',
      },
      count: { type: 'integer', minimum: 1, description: 'How many lines first and last take; which one line takes.' },
    },
    required: ['operation'],
    additionalProperties: false,
  },
  effect: 'read',
  metadata: {
    category: 'utility',
    usageHint: 'To count lines or words without reading them.',
  },
};

interface Input {
  readonly path?: string;
  readonly text?: string;
  readonly operation: TextOperation;
  readonly count?: number;
}

/** Makes `inspect_text`: files up to 8 MiB; results up to 256 KiB. */
export function inspectTextTool(workspace: Workspace): ToolWithHandler {
  return {
    tool,
    handler: async ({ count, operation, path, text }: Input, { signal }): Promise<string> => {
      if ((path === undefined) === (text === undefined)) throw toolError('Give path or text, one of them.');
      const content = text ?? (await readText(workspace, path ?? '', signal));
      const result = linesOf(content, operation, count);
      if (result.length <= MAX_RESULT) return result;
      throw toolError(`The result has ${result.length} characters, more than the ${MAX_RESULT} that can be shown.`);
    },
  };
}

async function readText(workspace: Workspace, path: string, signal: AbortSignal): Promise<string> {
  const { bytes } = await workspace.read(path, { maxBytes: MAX_BYTES, signal });
  const text = decodeText(bytes);
  if (text === undefined) throw toolError(`${JSON.stringify(path)} is not a text file.`);
  return text;
}
