import type { Citation, ServerToolCall, ServerToolResult, Source } from '@kernel/protocol';
import { asFields, asList, asNumber, asText, type Fields } from '../json-fields.ts';
import { citationOf, serverToolCall, serverToolResult, sourceLines, sourceOf } from '../wire/server-tools/parts.ts';

const MAX_CITATIONS = 200;

/** Reads what a search was for and what it found: https://ai.google.dev/gemini-api/docs/google-search#response. @internal */
export function readGrounding(metadata: Fields): readonly (ServerToolCall | ServerToolResult)[] {
  const queries = asList(metadata['webSearchQueries']).filter((query) => typeof query === 'string');
  const sources = chunksOf(metadata);
  if (queries.length === 0 && sources.length === 0) return [];
  const hasMaps = asList(metadata['groundingChunks']).some((chunk) => asFields(chunk)?.['maps'] !== undefined);
  const name = hasMaps ? 'google_maps' : 'google_search';
  return [
    serverToolCall({ id: name, name, input: { queries } }),
    serverToolResult({ callId: name, name, text: sourceLines(sources), sources }),
  ];
}

/** Reads which pages were fetched: https://ai.google.dev/gemini-api/docs/url-context. @internal */
export function readUrlContext(metadata: Fields): readonly (ServerToolCall | ServerToolResult)[] {
  const pages = asList(metadata['urlMetadata']).map((page) => asFields(page) ?? {});
  if (pages.length === 0) return [];
  const sources = pages.map((page) => sourceOf({ url: page['retrievedUrl'] }));
  const failed = pages.filter((page) => !(asText(page['urlRetrievalStatus']) ?? '').endsWith('SUCCESS'));
  const name = 'url_context';
  return [
    serverToolCall({ id: name, name, input: { urls: sources.map(({ url }) => url ?? '') } }),
    serverToolResult({
      callId: name,
      name,
      text: sourceLines(sources),
      sources,
      isError: failed.length === pages.length,
    }),
  ];
}

/** Reads the sources of the statements in a text. The vendor counts bytes of UTF-8. @internal */
export function readSupports(metadata: Fields, text: string): readonly Citation[] {
  const sources = chunksOf(metadata);
  const bytes = new TextEncoder().encode(text);
  const citations: Citation[] = [];
  for (const entry of asList(metadata['groundingSupports']).slice(0, MAX_CITATIONS)) {
    const support = asFields(entry) ?? {};
    const segment = asFields(support['segment']) ?? {};
    const span = spanOf(bytes, asNumber(segment['startIndex']) ?? 0, asNumber(segment['endIndex']) ?? 0);
    for (const index of asList(support['groundingChunkIndices']).slice(0, MAX_CITATIONS - citations.length)) {
      const source = sources[asNumber(index) ?? -1];
      if (source !== undefined) citations.push(citationOf({ ...source, span }));
    }
  }
  return citations;
}

/** The part of a text between two bytes; undefined for one that is not in the text, or not between characters. */
function spanOf(bytes: Uint8Array, from: number, to: number): Citation['span'] {
  const isBoundary = (at: number): boolean => ((bytes[at] ?? 0) & 0xc0) !== 0x80;
  if (from < 0 || to <= from || to > bytes.length || !isBoundary(from) || !isBoundary(to)) return undefined;
  const lengthOf = (end: number): number =>
    new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(0, end)).length;
  return { start: lengthOf(from), end: lengthOf(to) };
}

function chunksOf(metadata: Fields): readonly Source[] {
  return asList(metadata['groundingChunks']).map((entry) => {
    const chunk = asFields(entry) ?? {};
    const found = asFields(chunk['web'] ?? chunk['retrievedContext'] ?? chunk['maps']) ?? {};
    return sourceOf({ url: found['uri'], title: found['title'], document: found['placeId'] });
  });
}
