/** Decodes the text of a web page: by its byte order mark, the charset of its media type, or a `meta` element, else as UTF-8. Source: the HTML standard's encoding sniffing. */
export function decodeText(bytes: Uint8Array, contentType: string): string {
  const [first, second, third] = bytes;
  if (first === 0xff && second === 0xfe) return decode(bytes, 'utf-16le');
  if (first === 0xfe && second === 0xff) return decode(bytes, 'utf-16be');
  if (first === 0xef && second === 0xbb && third === 0xbf) return decode(bytes, 'utf-8');
  const start = new TextDecoder('latin1').decode(bytes.subarray(0, 1024));
  const declared = /charset\s*=\s*"?([\w:.-]+)/i.exec(contentType)?.[1];
  const named = /<meta[^>]{0,200}charset\s*=\s*["']?([\w:.-]+)/i.exec(start)?.[1] ?? 'utf-8';
  // A page in which this element can be found is not UTF-16.
  return decode(bytes, declared ?? (/^utf-?16/i.test(named) ? 'utf-8' : named));
}

function decode(bytes: Uint8Array, label: string): string {
  try {
    // In two steps: in one, Node 22 reads windows-1252 as ISO 8859-1, and typographic quotes and the euro sign become control characters.
    const decoder = new TextDecoder(label);
    return decoder.decode(bytes, { stream: true }) + decoder.decode();
  } catch {
    // A charset that nobody knows.
    return new TextDecoder().decode(bytes);
  }
}
