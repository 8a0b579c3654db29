import { truncate } from '@kernel/internal';
import type { Citation, JsonValue, ServerToolCall, ServerToolResult, Source } from '@kernel/protocol';
import { asText, definedFields, type Fields, toJson } from '../../json-fields.ts';

const MAX_TEXT = 8_000;
const MAX_SOURCES = 100;

/** What a wire reads about a call that the vendor ran. @internal */
export interface CallDetails {
  /** The id of the call. */
  readonly id: string;
  /** The vendor's name for the tool. */
  readonly name: string;
  /** The input of the tool: an object, or the JSON text of one. */
  readonly input?: unknown;
  /** The part as it was received, if there is one. */
  readonly data?: unknown;
}

/** What a wire reads about the result of a call that the vendor ran. @internal */
export interface ResultDetails {
  /** The id of the call. */
  readonly callId: string;
  /** The vendor's name for the tool. */
  readonly name: string;
  /** What was found, as text. */
  readonly text?: string | undefined;
  /** The pages and documents that were found. */
  readonly sources?: readonly Source[];
  /** Whether the call failed. */
  readonly isError?: boolean;
  /** The part as it was received, if it has one of its own. */
  readonly data?: unknown;
}

/** Creates the part of a call. @internal */
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

/** Creates the part of a result. @internal */
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

/** Creates a citation from the fields that are strings. @internal */
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

/** Creates a source from the fields that are strings; a `document` may also be a number. @internal */
export function sourceOf({ url, title, document }: Fields): Source {
  const id = typeof document === 'number' ? String(document) : asText(document);
  return Object.freeze(definedFields({ url: asText(url), title: asText(title), document: id }));
}

/** Writes one line for each source: its title and its URL. @internal */
export function sourceLines(sources: readonly Source[]): string {
  return sources
    .map(({ url, title, document }) => [title ?? document, url].filter((text) => text !== undefined).join(' – '))
    .join('\n');
}

function providerDataOf(data: unknown): { readonly providerData?: JsonValue } {
  return data === undefined ? {} : { providerData: toJson(data) };
}
