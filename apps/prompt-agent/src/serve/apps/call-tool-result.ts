import { isObject } from '@kernel/internal';
import type { ToolResult } from '@kernel/protocol';

/** A result as an app gets it. What the server sent beside text, media and structured content is not in it. */
export function toCallToolResult({ data, forLLM, isError, media = [] }: ToolResult) {
  const blocks = media.flatMap(({ data: base64, mimeType, type }) =>
    base64 === undefined || type === 'file' ? [] : [{ type, mimeType, data: base64 }],
  );
  return {
    content: [{ type: 'text', text: forLLM } as const, ...blocks],
    ...(isObject(data) ? { structuredContent: data } : {}),
    ...(isError === true ? { isError } : {}),
  };
}
