import { isObject } from '@kernel/internal';
import { type MediaPart, toModelText, type ToolResult } from '@kernel/protocol';

/** What the AI SDK shows a model of a result. */
export type AiSdkOutput =
  | { readonly type: 'text'; readonly value: string }
  | { readonly type: 'content'; readonly value: ({ readonly type: 'text'; readonly text: string } | AiSdkFile)[] };

/** Media for a model of the AI SDK. */
export interface AiSdkFile {
  /** Discriminates the union. */
  readonly type: 'file';
  /** The media type, such as `image/png`. */
  readonly mediaType: string;
  /** Base64, or an address. */
  readonly data:
    | {
        readonly type: 'data';
        /** The content, as base64. */
        readonly data: string;
      }
    | {
        readonly type: 'url';
        /** The address of the content. */
        readonly url: URL;
      };
}

export function toModelOutput(result: ToolResult): AiSdkOutput {
  const text = toModelText(result);
  if (result.media === undefined || result.media.length === 0) return { type: 'text', value: text };
  return { type: 'content', value: [{ type: 'text', text }, ...result.media.flatMap((part) => toFile(part) ?? [])] };
}

function toFile({ mimeType: mediaType, data, url }: MediaPart): AiSdkFile | undefined {
  if (data !== undefined) return { type: 'file', mediaType, data: { type: 'data', data } };
  return url === undefined ? undefined : { type: 'file', mediaType, data: { type: 'url', url: new URL(url) } };
}

/** Reads what a tool of the AI SDK shows the model. `output` is what it returned. */
export function readModelOutput(shown: unknown, output: unknown): unknown {
  if (!isObject(shown)) return output;
  const { type, value, reason } = shown;
  const isError = type === 'error-text' || type === 'error-json';
  if (type === 'execution-denied')
    return { forLLM: typeof reason === 'string' ? reason : 'The call was denied.', isError: true, outcome: 'denied' };
  if (type === 'content' && Array.isArray(value)) {
    const parts: readonly unknown[] = value;
    const texts = parts.flatMap((part) => (isObject(part) && typeof part['text'] === 'string' ? part['text'] : []));
    const media = parts.flatMap((part) => toMedia(part) ?? []);
    return { forLLM: texts.join('\n'), data: output, ...(media.length > 0 && { media }) };
  }
  const forLLM = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return { forLLM, ...(isError ? { isError } : { data: output }) };
}

function toMedia(part: unknown): object | undefined {
  if (!isObject(part) || typeof part['mediaType'] !== 'string') return undefined;
  const { mediaType: mimeType, data: given } = part;
  const [kind] = mimeType.split('/');
  const type = kind === 'image' || kind === 'audio' ? kind : 'file';
  if (!isObject(given)) return { type, mimeType, data: given };
  const { data, url } = given;
  return { type, mimeType, ...(url instanceof URL ? { url: url.href } : { data }) };
}
