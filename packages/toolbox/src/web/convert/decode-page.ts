import { isUtf8 } from 'node:buffer';
import { attempt } from '@kernel/internal';
import { detectFormat } from '../../text/encoding.ts';

export interface DecodedPage {
  readonly text: string;
  /** What was guessed, and what could not be read, a line each. */
  readonly notes: readonly string[];
}

/** How far a `meta` element is looked for in a page that is not UTF-8; the standard looks at 1,024 bytes. */
const MAX_HEAD = 100_000;

/**
 * Decodes the text of a web page: by its byte order mark, the charset of its media type, an XML declaration or a `meta`
 * element, else as UTF-8, UTF-16 or Windows-1252, whichever it looks like; and notes what was guessed or cannot be
 * read. Source: the HTML standard's encoding sniffing.
 */
export function decodePage(bytes: Uint8Array, contentType: string): DecodedPage {
  const found = detectFormat(bytes);
  if (found !== undefined && found.bomLength > 0) return decode(bytes, found.encoding, false);
  const start = new TextDecoder('latin1').decode(bytes.subarray(0, isUtf8(bytes) ? 1024 : MAX_HEAD));
  const named = [
    /charset\s*=\s*"?([\w:.-]+)/i.exec(contentType)?.[1],
    /^\s*<\?xml[^>]{0,200}\sencoding\s*=\s*["']([\w:.-]+)/i.exec(start)?.[1],
    /<meta[^>]{0,200}charset\s*=\s*["']?([\w:.-]+)/i.exec(start)?.[1],
  ];
  // A page in which a declaration can be found is not UTF-16.
  const [declared, ...inPage] = named;
  const label = [declared, ...inPage.map((each) => (/^utf-?16/i.test(each ?? '') ? 'utf-8' : each))].find(isCharset);
  const guess = found?.encoding ?? 'utf-8';
  return label === undefined ? decode(bytes, guess, guess !== 'utf-8') : decode(bytes, label, false);
}

function decode(bytes: Uint8Array, label: string, isGuess: boolean): DecodedPage {
  // In two steps: in one, Node 22 reads windows-1252 as ISO 8859-1, and typographic quotes and the euro sign become
  // control characters.
  const decoder = new TextDecoder(label);
  const text = decoder.decode(bytes, { stream: true }) + decoder.decode();
  const unread = text.split('\uFFFD').length - 1;
  const problems = [
    ...(isGuess ? [`it names none and was read as ${label}`] : []),
    ...(unread > 0 ? [`${unread} characters cannot be read as ${label} and are U+FFFD`] : []),
  ];
  return { text, notes: problems.length === 0 ? [] : [`Encoding: ${problems.join('; ')}`] };
}

function isCharset(label: string | undefined): label is string {
  return label !== undefined && attempt(() => new TextDecoder(label)) !== undefined;
}
