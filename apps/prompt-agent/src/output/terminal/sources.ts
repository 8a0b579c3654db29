import type { Citation, Message } from '@kernel/protocol';
import { oneLine } from '../escape.ts';

const MAX_SOURCES = 50;

/** Returns the sources of the texts in messages, each page or document once, in order. */
export function sourcesOf(messages: readonly Message[]): readonly Citation[] {
  const sources = new Map<string, Citation>();
  for (const { role, content } of messages) {
    if (role !== 'assistant') continue;
    for (const part of content) {
      for (const citation of part.type === 'text' ? (part.citations ?? []) : []) {
        const key = citation.url ?? citation.document ?? citation.title ?? '';
        if (!sources.has(key)) sources.set(key, citation);
      }
    }
  }
  return [...sources.values()].slice(0, MAX_SOURCES);
}

/** Returns a line for each source. */
export function sourceNotes(sources: readonly Citation[]): readonly string[] {
  return sources.map(({ url, title, document }) => {
    const name = title ?? document;
    const texts = [name === undefined ? [] : [oneLine(name, 100)], url === undefined ? [] : [oneLine(url, 200)]];
    return `source: ${texts.flat().join(' – ')}`;
  });
}
