import { sliceHead } from '@kernel/internal';
import type { MediaPart, Message, TextPart } from '@kernel/protocol';

/** The media types of documents, and what the API calls them. */
export const DOCUMENTS: ReadonlyMap<string, string> = new Map([
  ['application/pdf', 'pdf'],
  ['text/csv', 'csv'],
  ['text/html', 'html'],
  ['text/plain', 'txt'],
  ['text/markdown', 'md'],
]);

const MAX_NAME = 200;

/** Names may contain only letters, digits, single spaces, hyphens and brackets. */
export function documentName({ name = 'file' }: MediaPart, suffix = ''): string {
  const plain = name.replaceAll(/[^a-zA-Z0-9()[\]-]+/g, ' ').trim();
  return `${sliceHead(plain === '' ? 'file' : plain, MAX_NAME - suffix.length).trim()}${suffix}`;
}

/** The API refuses two documents of one name in a request. A history whose names differ stays the same list. */
export function withUniqueDocuments(messages: readonly Message[]): readonly Message[] {
  const used = new Set<string>();
  const unique = (part: TextPart | MediaPart): TextPart | MediaPart => {
    if (part.type !== 'file' || !DOCUMENTS.has(part.mimeType)) return part;
    const first = documentName(part);
    let name = first;
    for (let count = 2; used.has(name.toLowerCase()); count += 1) name = documentName(part, ` (${count})`);
    used.add(name.toLowerCase());
    return name === first ? part : { ...part, name };
  };
  let isChanged = false;
  const renamed = messages.map((message) => {
    if ((message.role !== 'user' && message.role !== 'tool') || typeof message.content === 'string') return message;
    const { content } = message;
    const parts = content.map(unique);
    if (parts.every((part, at) => part === content[at])) return message;
    isChanged = true;
    return { ...message, content: parts };
  });
  return isChanged ? renamed : messages;
}
