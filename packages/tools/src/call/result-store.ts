import { KernelError, type ToolResult } from '@kernel/protocol';
import { bindTool } from '../tool/bind-tool.ts';
import type { ToolBinding } from '../tool/binding.ts';

/** Keeps the full texts of results that were cut for the model. */
export interface ResultStore {
  /** Keeps a text and returns its handle; the oldest texts go when there is too much. */
  keep(text: string): string;
  /** The text behind a handle; `undefined` when it is unknown or gone. */
  read(handle: string): string | undefined;
}

const MAX_CHARS = 128 * 1024 * 1024;
const PAGE = 20_000;

/** Creates a store that holds at most `maxChars` characters (default 134,217,728) and always the newest text. Texts are not copied. */
export function createResultStore(maxChars: number = MAX_CHARS): ResultStore {
  const texts = new Map<string, string>();
  let total = 0;
  let made = 0;
  return {
    keep(text) {
      made += 1;
      const handle = `result-${made}`;
      texts.set(handle, text);
      total += text.length;
      for (const [oldest, old] of texts) {
        if (total <= maxChars || oldest === handle) break;
        texts.delete(oldest);
        total -= old.length;
      }
      return handle;
    },
    read: (handle) => texts.get(handle),
  };
}

/** The name under which a model finds the tool that pages through cut results. */
export const READ_RESULT = 'read_result';

/** Cuts a result's text to what the model gets: its head and tail at whole characters, the full text kept behind a handle. */
export function limitResult(result: ToolResult, limit: number, store: ResultStore, canRead: () => boolean): ToolResult {
  const { forLLM } = result;
  if (limit <= 0 || forLLM.length <= limit) return result;
  const handle = store.keep(forLLM);
  const head = wholeHead(forLLM, Math.ceil(limit * 0.6));
  const tail = wholeTail(forLLM, Math.floor(limit * 0.4));
  const left = forLLM.length - head.length - tail.length;
  const how = canRead() ? `; call ${READ_RESULT} with handle "${handle}" and offset ${head.length} to read on` : '';
  return { ...result, forLLM: `${head}\n[… ${left} of ${forLLM.length} characters left out${how} …]\n${tail}` };
}

/** Makes the tool with which a model pages through results that were cut. Register it beside the others. */
export function readResultTool(store: ResultStore): ToolBinding {
  return bindTool<{ readonly handle: string; readonly offset?: number; readonly length?: number }>(
    {
      name: READ_RESULT,
      description: 'Reads a part of an earlier tool result that was too long to be shown whole.',
      effect: 'read',
      parameters: {
        type: 'object',
        properties: {
          handle: { type: 'string', description: 'The handle named in the shortened result.' },
          offset: { type: 'integer', minimum: 0, description: 'The first character to show. Default 0.' },
          length: { type: 'integer', minimum: 1, maximum: PAGE, description: `How many characters. Default ${PAGE}.` },
        },
        required: ['handle'],
        additionalProperties: false,
      },
      metadata: { category: 'utility' },
    },
    ({ handle, offset = 0, length = PAGE }) => {
      const text = store.read(handle);
      if (text === undefined) {
        throw new KernelError('TOOL_FAILED', `no result is kept under "${handle.slice(0, 60)}".`, {
          hint: 'Call the tool again.',
        });
      }
      const page = wholeHead(text.slice(isTailHalf(text, offset) ? offset + 1 : offset), length);
      const end = offset + page.length;
      const rest =
        end < text.length ? `${text.length - end} characters follow; go on at offset ${end}` : 'this is the end';
      return `${page}\n[characters ${offset} to ${end} of ${text.length}; ${rest}]`;
    },
    { resultLimit: 0 },
  );
}

function wholeHead(text: string, length: number): string {
  const cut = text.slice(0, length);
  return cut.length < text.length && /[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut;
}

function wholeTail(text: string, length: number): string {
  if (length === 0) return '';
  const cut = text.slice(-length);
  return /^[\uDC00-\uDFFF]/.test(cut) ? cut.slice(1) : cut;
}

function isTailHalf(text: string, offset: number): boolean {
  const code = text.charCodeAt(offset);
  return code >= 0xdc00 && code <= 0xdfff;
}
