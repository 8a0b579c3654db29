import { toBase64 } from '@kernel/internal';
import { type MediaPart, TOOL_OUTCOMES, type ToolResult } from '@kernel/protocol';

/** A result whose fields have the types that they are declared with, or what is wrong with one. */
export type CheckedResult =
  | { readonly result: ToolResult; readonly problem?: undefined }
  | { readonly result?: undefined; readonly problem: string };

const FLAGS = ['silent', 'isError', 'async'] as const;
const OUTCOMES: ReadonlySet<unknown> = new Set(TOOL_OUTCOMES);
const MEDIA_TYPES: ReadonlySet<unknown> = new Set(['image', 'audio', 'file']);

/**
 * Checks the fields of a result that a handler returned, besides `data`. The bytes of media (a `Uint8Array`, so a `Buffer` too) become base64, which
 * is what the wires carry.
 */
export function checkFields(result: ToolResult): CheckedResult {
  const { forLLM, forUser, media, outcome, repairs }: { readonly [K in keyof ToolResult]: unknown } = result;
  if (typeof forLLM !== 'string') return { problem: problemOf('forLLM', 'a string', forLLM) };
  if (repairs !== undefined && !Array.isArray(repairs)) return { problem: problemOf('repairs', 'an array', repairs) };
  if (forUser !== undefined && typeof forUser !== 'string')
    return { problem: problemOf('forUser', 'a string', forUser) };
  if (outcome !== undefined && !OUTCOMES.has(outcome))
    return { problem: `a result whose "outcome" is none of ${[...OUTCOMES].join(', ')}` };
  for (const flag of FLAGS) {
    const value: unknown = result[flag];
    if (value !== undefined && typeof value !== 'boolean') return { problem: problemOf(flag, 'a boolean', value) };
  }
  if (media === undefined) return { result };
  if (!Array.isArray(media)) return { problem: problemOf('media', 'an array', media) };
  const problem = media.map((part: unknown, index) => mediaProblem(part, `media/${index}`)).find(Boolean);
  if (problem !== undefined) return { problem };
  return {
    result: result.media?.some(hasBytes) === true ? { ...result, media: result.media.map(encodeBytes) } : result,
  };
}

function mediaProblem(part: unknown, path: string): string | undefined {
  if (typeof part !== 'object' || part === null)
    return problemOf(path, 'a part: { type, mimeType, data, url or id }', part);
  const { type, mimeType, data, url, id, name }: { readonly [K in keyof MediaPart]?: unknown } = part;
  if (!MEDIA_TYPES.has(type)) return problemOf(`${path}/type`, '"image", "audio" or "file"', type);
  if (typeof mimeType !== 'string') return problemOf(`${path}/mimeType`, 'a string', mimeType);
  if (data !== undefined && typeof data !== 'string' && !(data instanceof Uint8Array))
    return problemOf(`${path}/data`, 'base64 text or a Uint8Array', data);
  for (const [key, value] of [
    ['url', url],
    ['id', id],
    ['name', name],
  ] as const)
    if (value !== undefined && typeof value !== 'string') return problemOf(`${path}/${key}`, 'a string', value);
  return data === undefined && url === undefined && id === undefined
    ? `a result whose "${path}" has neither data nor url`
    : undefined;
}

function problemOf(field: string, expected: string, value: unknown): string {
  const type = value === null ? 'null' : Array.isArray(value) ? 'an array' : typeof value;
  return `a result whose "${field}" is not ${expected} (it is ${type === 'object' ? 'an object' : type})`;
}

function hasBytes(part: MediaPart): boolean {
  const data: unknown = part.data;
  return data instanceof Uint8Array;
}

function encodeBytes(part: MediaPart): MediaPart {
  const data: unknown = part.data;
  if (!(data instanceof Uint8Array)) return part;
  return { ...part, data: toBase64(data) };
}
