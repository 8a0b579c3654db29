import type { JsonValue, MediaPart, ToolResult } from '@kernel/protocol';
import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client';
import { isTooDeep } from '../tools/output-check.ts';

/**
 * Converts a result of `tools/call`: text and links become `forLLM`, images, audio and embedded files `media`, structured content `data`. A result
 * without text gets the structured content as JSON, or a line for each medium. An error keeps its text, with code `TOOL_FAILED`.
 */
export function toToolResult(result: CallToolResult): ToolResult {
  const texts: string[] = [];
  const media: MediaPart[] = [];
  for (const block of result.content) {
    const part = toPart(block);
    if (typeof part === 'string') texts.push(part);
    else media.push(part);
  }
  const isDataTooDeep = isTooDeep(result.structuredContent);
  const data = isDataTooDeep ? undefined : toJson(result.structuredContent);
  if (isDataTooDeep) texts.push('(The structured content is nested too deeply and was left out.)');
  if (texts.length === 0 && data !== undefined) texts.push(JSON.stringify(data));
  if (texts.length === 0 && media.length > 0)
    texts.push(media.map((part) => `(${part.type}: ${part.name ?? part.mimeType})`).join('\n'));
  return {
    forLLM: texts.join('\n'),
    ...(result.isError === true ? { isError: true, code: 'TOOL_FAILED' } : {}),
    ...(data === undefined ? {} : { data }),
    ...(media.length === 0 ? {} : { media }),
  };
}

/** A text, or a medium. A link becomes a text: nothing here follows it. */
export function toPart(block: ContentBlock): string | MediaPart {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'image':
    case 'audio':
      return { type: block.type, mimeType: block.mimeType, data: block.data };
    case 'resource_link':
      return [`${block.title ?? block.name}: ${block.uri}`, block.mimeType && `(${block.mimeType})`, block.description]
        .filter(Boolean)
        .join(' ');
    case 'resource': {
      const { resource } = block;
      if ('text' in resource) return `${resource.uri}:\n${resource.text}`;
      const mimeType = resource.mimeType ?? 'application/octet-stream';
      const [kind] = mimeType.split('/');
      const type = kind === 'image' || kind === 'audio' ? kind : 'file';
      return { type, mimeType, data: resource.blob, name: resource.uri };
    }
    default:
      return JSON.stringify(block satisfies never);
  }
}

function toJson(value: unknown): JsonValue | undefined {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- JSON.parse returns nothing else
  return value === undefined ? undefined : (JSON.parse(JSON.stringify(value)) as JsonValue);
}
