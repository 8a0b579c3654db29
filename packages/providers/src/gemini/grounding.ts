import type { Citation, ServerToolCall, ServerToolResult, Source } from '@kernel/protocol';
import { asFields, asList, asNumber, asText, type Fields } from '../json-fields.ts';
import type { OpenPart } from '../wire/message-parts.ts';
import { citationOf, serverToolCall, serverToolResult, sourceLines, sourceOf } from '../wire/server-tools/parts.ts';

const MAX_CITATIONS = 200;

/** https://ai.google.dev/gemini-api/docs/google-search#response */
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

/** https://ai.google.dev/gemini-api/docs/url-context */
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

/** https://ai.google.dev/api/generate-content#Segment */
export function readSupports(metadata: Fields, ranges: TextRanges) {
  const sources = chunksOf(metadata);
  const bytesOf = createBytesOf();
  const citations: { readonly part: OpenPart; readonly citation: Citation }[] = [];
  for (const entry of asList(metadata['groundingSupports']).slice(0, MAX_CITATIONS)) {
    const support = asFields(entry) ?? {};
    const segment = asFields(support['segment']) ?? {};
    const range = rangeOf(segment, ranges, bytesOf);
    if (range === undefined) continue;
    const span = spanOf(bytesOf(range), segment, range.from);
    for (const index of asList(support['groundingChunkIndices']).slice(0, MAX_CITATIONS - citations.length)) {
      const source = sources[asNumber(index) ?? -1];
      if (source !== undefined) citations.push({ part: range.part, citation: citationOf({ ...source, span }) });
    }
  }
  return citations;
}

type BytesOf = (range: TextRange) => Uint8Array;

function createBytesOf(): BytesOf {
  const known = new Map<TextRange, Uint8Array>();
  return (range) => {
    const bytes = known.get(range) ?? new TextEncoder().encode(range.part.pieces.join('').slice(range.from, range.to));
    known.set(range, bytes);
    return bytes;
  };
}

/** The text of the part that a segment names, else the last one. A reply that leaves the index out means 0, or, where thoughts come first, the last. */
function rangeOf(segment: Fields, ranges: TextRanges, bytesOf: BytesOf): TextRange | undefined {
  const index = asNumber(segment['partIndex']);
  const [named, last] = [ranges.at(index ?? 0), ranges.last()];
  if (named === undefined || last === undefined || index !== undefined) return named ?? last;
  return holds(bytesOf(named), segment) || !holds(bytesOf(last), segment) ? named : last;
}

/** Returns true for a segment without text. */
function holds(bytes: Uint8Array, segment: Fields): boolean {
  return segment['text'] === undefined || textAt(bytes, segment) === segment['text'];
}

/** The vendor counts bytes of UTF-8, and leaves out 0. */
function boundsOf(segment: Fields): readonly [from: number, to: number] {
  return [asNumber(segment['startIndex']) ?? 0, asNumber(segment['endIndex']) ?? 0];
}

function textAt(bytes: Uint8Array, segment: Fields): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(...boundsOf(segment)));
}

/** The vendor counts bytes; a span counts UTF-16 code units and is moved by `offset`. */
function spanOf(bytes: Uint8Array, segment: Fields, offset: number): Citation['span'] {
  const [from, to] = boundsOf(segment);
  const isBoundary = (at: number): boolean => ((bytes[at] ?? 0) & 0xc0) !== 0x80;
  const isInText = from >= 0 && from < to && to <= bytes.length && isBoundary(from) && isBoundary(to);
  if (!isInText || !holds(bytes, segment)) return undefined;
  const lengthOf = (end: number): number => offset + textAt(bytes, { endIndex: end }).length;
  return { start: lengthOf(from), end: lengthOf(to) };
}

function chunksOf(metadata: Fields): readonly Source[] {
  return asList(metadata['groundingChunks']).map((entry) => {
    const chunk = asFields(entry) ?? {};
    const found = asFields(chunk['web'] ?? chunk['retrievedContext'] ?? chunk['maps']) ?? {};
    return sourceOf({ url: found['uri'], title: found['title'], document: found['placeId'] });
  });
}

export interface TextRange {
  /** It joins adjacent text parts of the vendor. */
  readonly part: OpenPart;
  /** Counted in UTF-16 code units. */
  readonly from: number;
  /** Exclusive. */
  to: number;
}

/** Ranges are found by the index of the vendor's part in the whole reply. */
export function createTextRanges() {
  const parts: { readonly kind: string; range: TextRange | undefined }[] = [];
  let isFirst = false;
  let last: TextRange | undefined;
  return {
    /** The first part of a chunk may continue the last part of the chunk before. */
    beginChunk() {
      isFirst = true;
    },
    add(kind: string, length: number, part: OpenPart | undefined) {
      const before = parts.at(-1);
      const isStreamed = isFirst && (kind === 'text' || kind === 'thought') && before?.kind === kind;
      const continues = isStreamed && (before.range === undefined || before.range.part === (part ?? before.range.part));
      isFirst = false;
      const entry = continues ? before : { kind, range: undefined };
      if (!continues) parts.push(entry);
      if (part === undefined || length === 0) return;
      entry.range ??= { part, from: part.length - length, to: part.length };
      entry.range.to = part.length;
      last = entry.range;
    },
    at: (index: number) => parts[index]?.range,
    last: () => last,
  };
}

export type TextRanges = ReturnType<typeof createTextRanges>;
