import { attempt } from '@kernel/internal';
import type { MediaPart } from '@kernel/protocol';
import type { ContentBlock } from '@modelcontextprotocol/server';

/**
 * Returns a medium as MCP content: image and audio as they are, a file as an embedded resource, a URL as a link. Data that is not valid
 * base64 becomes a text that says so, since a client would refuse the whole result.
 */
export function mediaContent(media: MediaPart, index: number): ContentBlock {
  const { type, mimeType, data, url, name } = media;
  if (data === undefined) {
    if (url === undefined) return omitted(media, 'has neither data nor a URL');
    return { type: 'resource_link', uri: url, name: name ?? url, mimeType };
  }
  // The same test that clients make.
  if (attempt(() => atob(data)) === undefined) return omitted(media, 'has data that is not valid base64');
  if (type !== 'file') return { type, data, mimeType };
  const uri = `attachment:///${encodeURIComponent((name ?? String(index + 1)).toWellFormed())}`;
  const text = isText(mimeType) ? asUtf8(data) : undefined;
  return { type: 'resource', resource: { uri, mimeType, ...(text === undefined ? { blob: data } : { text }) } };
}

function omitted(media: MediaPart, why: string): ContentBlock {
  return { type: 'text', text: `[${media.type} ${media.name ?? ''}(${media.mimeType}) was left out: it ${why}]` };
}

function isText(mimeType: string): boolean {
  return /^text\/|^application\/(?:[\w.-]+\+)?(?:json|xml)(?:;|$)/.test(mimeType);
}

function asUtf8(data: string): string | undefined {
  return attempt(() => new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(data, 'base64')));
}
