import { isObject, parseJson } from '@kernel/internal';
import type { JsonValue, MediaPart, ToolResult } from '@kernel/protocol';
import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client';
import { isTooDeep } from '../tools/output-check.ts';

/**
 * Converts a result of `tools/call`: text and links become `forLLM`, images, audio and embedded files `media`,
 * structured content `data`. The structured content is also written as JSON, unless the text has it or it is for an
 * app's page alone: a text may be a summary. A result without text gets a line for each medium. With a `mismatch`,
 * which says why the structured content is not what was promised, it is no data, and that is told. An error keeps its
 * text, with code `TOOL_FAILED`.
 */
export function toToolResult(result: CallToolResult, hasApp = false, mismatch?: string): ToolResult {
  const texts: string[] = [];
  const media: MediaPart[] = [];
  for (const block of result.content) {
    const part = toPart(block);
    if (typeof part === 'string') texts.push(part);
    else media.push(part);
  }
  const isDataTooDeep = isTooDeep(result.structuredContent);
  const structured = isDataTooDeep ? undefined : toJson(result.structuredContent ?? undefined);
  if (isDataTooDeep) texts.push('(The structured content is nested too deeply and was left out.)');
  if (structured !== undefined && (texts.length === 0 || !(hasApp || isIn(texts, structured))))
    texts.push(JSON.stringify(structured));
  if (texts.length === 0 && media.length > 0)
    texts.push(media.map((part) => `(${part.type}: ${part.name ?? part.mimeType})`).join('\n'));
  if (mismatch !== undefined) texts.push(`(This is not what the tool's output schema promises: ${mismatch}.)`);
  const data = mismatch === undefined ? structured : undefined;
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

/** So many values are looked for one by one. */
const MAX_VALUES = 50;

/** Whether texts have structured content, as JSON, item by item, or in words with each of its values. */
function isIn(texts: readonly string[], data: JsonValue): boolean {
  const wrapped = isObject(data) && Object.keys(data).length === 1 ? Object.values(data)[0] : undefined;
  const forms = [data, ...(wrapped === undefined ? [] : [wrapped])].map((each) => JSON.stringify(each));
  const parsed = texts.map((text) => JSON.stringify(parseJson(text) ?? text));
  if (forms.some((each) => parsed.includes(each) || each === `[${parsed.join(',')}]`)) return true;
  const values = valuesOf(data);
  const whole = texts.join('\n');
  return values.length <= MAX_VALUES && values.every((value) => whole.includes(value));
}

/** The first values in data, as texts. */
function valuesOf(data: JsonValue): readonly string[] {
  const found: string[] = [];
  const waiting: unknown[] = [data];
  while (waiting.length > 0 && found.length <= MAX_VALUES) {
    const next = waiting.pop();
    if (typeof next === 'object' && next !== null) waiting.push(...Object.values(next));
    else found.push(String(next));
  }
  return found;
}

function toJson(value: unknown): JsonValue | undefined {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- JSON.parse returns nothing else
  return value === undefined ? undefined : (JSON.parse(JSON.stringify(value)) as JsonValue);
}
