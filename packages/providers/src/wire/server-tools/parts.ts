import { truncate } from '@kernel/internal';
import type { Citation, JsonValue, ServerToolCall, ServerToolResult, Source } from '@kernel/protocol';
import { asText, definedFields, type Fields, toJson } from '../../json-fields.ts';

const MAX_TEXT = 8_000;
const MAX_SOURCES = 100;

export interface CallDetails {
  readonly id: string;
  readonly name: string;
  /** An object, or the JSON text of one. */
  readonly input?: unknown;
  /** The part as it was received. */
  readonly data?: unknown;
}

export interface ResultDetails {
  readonly callId: string;
  readonly name: string;
  readonly text?: string | undefined;
  readonly sources?: readonly Source[];
  readonly isError?: boolean;
  /** The part as it was received, if it has one of its own. */
  readonly data?: unknown;
}

export function serverToolCall({ id, name, input, data }: CallDetails): ServerToolCall {
  const text = typeof input === 'string' ? input : JSON.stringify(input ?? {});
  return Object.freeze({
    type: 'server-tool-call',
    id,
    name,
    arguments: text === '' ? '{}' : text,
    ...providerDataOf(data),
  });
}

export function serverToolResult({ callId, name, text = '', sources, isError, data }: ResultDetails): ServerToolResult {
  return Object.freeze({
    type: 'server-tool-result',
    callId,
    name,
    text: truncate(text, MAX_TEXT),
    ...(sources === undefined || sources.length === 0 ? {} : { sources: Object.freeze(sources.slice(0, MAX_SOURCES)) }),
    ...(isError === true ? { isError } : {}),
    ...providerDataOf(data),
  });
}

/** Keeps only the fields that are strings. */
export function citationOf(fields: {
  readonly url?: unknown;
  readonly title?: unknown;
  readonly document?: unknown;
  readonly quote?: unknown;
  readonly span?: Citation['span'] | undefined;
}): Citation {
  const { url, title, quote, document, span } = fields;
  const texts = definedFields({ ...sourceOf({ url, title, document }), quote: asText(quote) });
  return Object.freeze({ ...texts, ...(span === undefined ? {} : { span: Object.freeze(span) }) });
}

/** A `document` may also be a number. */
export function sourceOf({ url, title, document }: Fields): Source {
  const id = typeof document === 'number' ? String(document) : asText(document);
  return Object.freeze(definedFields({ url: asText(url), title: asText(title), document: id }));
}

export function sourceLines(sources: readonly Source[]): string {
  return sources
    .map(({ url, title, document }) => [title ?? document, url].filter((text) => text !== undefined).join(' – '))
    .join('\n');
}

function providerDataOf(data: unknown): { readonly providerData?: JsonValue } {
  return data === undefined ? {} : { providerData: toJson(data) };
}
