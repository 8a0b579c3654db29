import { sliceHead } from '@kernel/internal';
import { KernelError } from '@kernel/protocol';
import { READ_RESULT, readText, type ResultStore } from '../call/result-store.ts';
import { bindTool } from '../tool/bind-tool.ts';
import type { ToolBinding } from '../tool/binding.ts';

const PAGE_LENGTH = 20_000;

/** Creates the tool with which a model reads shortened results page by page. Register it in the registry that has the store. */
export function readResultTool(store: ResultStore): ToolBinding {
  return bindTool<{ readonly handle: string; readonly offset?: number; readonly length?: number }>(
    {
      name: READ_RESULT,
      description: 'Reads a part of an earlier tool result that was too long to be shown in full.',
      effect: 'read',
      parameters: {
        type: 'object',
        properties: {
          handle: { type: 'string', description: 'The handle named in the shortened result.' },
          offset: { type: 'integer', minimum: 0, description: 'The first character to show. Default 0.' },
          length: {
            type: 'integer',
            minimum: 1,
            maximum: PAGE_LENGTH,
            description: `How many characters. Default ${PAGE_LENGTH}.`,
          },
        },
        required: ['handle'],
        additionalProperties: false,
      },
      metadata: { category: 'utility' },
    },
    ({ handle, offset = 0, length = PAGE_LENGTH }) => {
      const text = readText(store, handle);
      if (text === undefined) {
        throw new KernelError('TOOL_FAILED', `no result is kept under "${sliceHead(handle, 60)}".`, {
          hint: 'Call the tool again.',
        });
      }
      const start = splitsPair(text, offset) ? offset + 1 : offset;
      const page = sliceHead(text.slice(start), Math.max(2, length));
      const end = start + page.length;
      const rest =
        end < text.length ? `${text.length - end} characters follow; continue at offset ${end}` : 'this is the end';
      return `${page}\n[characters ${start} to ${end} of ${text.length}; ${rest}]`;
    },
    { resultLimit: 0 },
  );
}

/** Whether an offset is in the middle of a surrogate pair. */
function splitsPair(text: string, offset: number): boolean {
  const code = text.charCodeAt(offset);
  return code >= 0xdc00 && code <= 0xdfff;
}
