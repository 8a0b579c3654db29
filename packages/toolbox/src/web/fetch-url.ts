import { objectSchema } from '../object-schema.ts';
import { toBase64, errorMessage, sliceHead, visibleText } from '@kernel/internal';
import {
  checkFunctions,
  checkKeys,
  checkNumber,
  KernelError,
  optionKeys,
  type Tool,
  type ToolContext,
  type ToolWithHandler,
  type ToolResult,
} from '@kernel/protocol';
import { type ConvertedDocument, htmlToMarkdown, pdfToText } from './convert/convert-in-worker.ts';
import { type DecodedPage, decodePage } from './convert/decode-page.ts';
import { type Download, guardedGet } from './http/guarded-get.ts';
import { mediaTypeOf } from '../text/encoding.ts';
import { seenText } from '../text/fold-text.ts';
import { createRobotRules } from './robots.ts';

/** Options of `fetchUrlTool`. */
export interface FetchUrlOptions {
  /** Whether a connection to an IP address may be made. Default: to public addresses only, which excludes loopback, private networks and metadata services. */
  readonly mayConnect?: ((address: string) => boolean) | undefined;
  /** The largest document, in bytes after decompression. Default 10,000,000. */
  readonly maxBytes?: number | undefined;
  /** Time limit of loading and, separately, of converting, in milliseconds. Default 30,000. */
  readonly timeoutMs?: number | undefined;
  /** How many redirects are followed. Default 5. */
  readonly maxRedirects?: number | undefined;
  /**
   * What happens with a redirect to another host, for which no permission was given. `report` reports it to the model, which can ask for the new
   * address. Default `report`.
   */
  readonly otherHosts?: 'report' | 'follow' | undefined;
  /** How many characters of a document a result holds; the model can ask for more. Default 30,000. */
  readonly maxCharacters?: number | undefined;
  /** Whether the `robots.txt` of a site is respected. Default false: a person asked for this page. */
  readonly robots?: boolean | undefined;
  /** The user agent. Default `kernel-toolbox`. */
  readonly userAgent?: string | undefined;
}

interface FetchInput {
  readonly url: string;
  readonly start?: number;
  readonly raw?: boolean;
}

const TOOL: Tool = {
  name: 'fetch_url',
  title: 'Load a web page',
  description:
    'Loads an http or https address and returns it as Markdown (web pages), text (PDF, JSON, text) or an image.',
  parameters: objectSchema(['url'], {
    url: { type: 'string', maxLength: 8000, description: 'The address.' },
    start: { type: 'integer', minimum: 0, description: 'First character to return, to go on in a long document.' },
    raw: { type: 'boolean', description: 'True for the source of a web page.' },
  }),
  // An address can carry anything to its server, so fetching it is not just reading.
  effect: 'external',
  metadata: {
    category: 'research',
    usageHint: 'To open a link or read a page of documentation.',
    examples: [{ description: 'Read https://example.com', input: { url: 'https://example.com' } }],
  },
};

const KEYS = optionKeys<FetchUrlOptions>({
  mayConnect: true,
  maxBytes: true,
  timeoutMs: true,
  maxRedirects: true,
  otherHosts: true,
  maxCharacters: true,
  robots: true,
  userAgent: true,
});
const IMAGES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);
const TEXTUAL =
  /^(?:text\/|application\/(?:[\w.+-]*\+)?(?:json|xml|javascript|ecmascript|yaml|x-yaml|toml|sql|x-sh|ld\+json|x-ndjson)\b)/;

/**
 * Creates the tool `fetch_url`. Each address that a name resolves to is checked when the connection is made, and again for each redirect; size, time
 * and redirects are limited; documents are converted in a worker with limits of its own. Sends no cookies and no credentials, and runs no scripts.
 */
export function fetchUrlTool(options: FetchUrlOptions = {}): ToolWithHandler {
  checkKeys('fetchUrlTool', options, KEYS);
  checkFunctions('fetchUrlTool', { mayConnect: options.mayConnect });
  checkNumber('fetchUrlTool', 'maxBytes', options.maxBytes, 1);
  checkNumber('fetchUrlTool', 'timeoutMs', options.timeoutMs, 1);
  checkNumber('fetchUrlTool', 'maxRedirects', options.maxRedirects, 0);
  checkNumber('fetchUrlTool', 'maxCharacters', options.maxCharacters, 100);
  const { maxBytes = 10_000_000, timeoutMs = 30_000, maxRedirects = 5, maxCharacters = 30_000 } = options;
  const { userAgent = 'kernel-toolbox', otherHosts = 'report', mayConnect } = options;
  const robots = options.robots === true ? createRobotRules(userAgent) : undefined;

  const handler = async ({ url, start = 0, raw = false }: FetchInput, context: ToolContext): Promise<ToolResult> => {
    const { signal } = context;
    const download = {
      maxBytes,
      timeoutMs,
      maxRedirects,
      mayConnect,
      signal,
      headers: {
        'user-agent': userAgent,
        accept: 'text/html, application/pdf, text/*, application/json, image/*, */*;q=0.1',
      },
    };
    const checkRobots = async (page: URL): Promise<void> => {
      if (robots === undefined || (await robots.allows(page, download))) return;
      throw new KernelError('TOOL_FAILED', `The robots.txt of ${page.host} does not allow this page to be loaded.`);
    };
    if (URL.canParse(url)) await checkRobots(new URL(url));
    const mayFollow = async (from: URL, to: URL): Promise<boolean> => {
      if (otherHosts !== 'follow' && from.host !== to.host) return false;
      await checkRobots(to);
      return true;
    };
    const load = async (address: string, hops: number): Promise<ToolResult> => {
      const loaded = await guardedGet(address, { ...download, mayFollow, maxRedirects: maxRedirects - hops });
      if (loaded.location !== undefined) return redirected(loaded.location);
      if (loaded.status < 200 || loaded.status > 299)
        throw new KernelError('TOOL_FAILED', `${loaded.url.host} answered ${loaded.status}: ${snippet(loaded)}`);
      const mimeType = loaded.contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
      if (IMAGES.has(mimeType)) return toImage(loaded);
      const page = await readDocument(loaded, mimeType, raw, { timeoutMs, signal });
      const next = page.text === '' && page.next !== undefined ? new URL(page.next) : undefined;
      if (next === undefined || next.href === loaded.url.href || hops >= maxRedirects)
        return toPage(loaded.url, page, { start, maxCharacters });
      return (await mayFollow(loaded.url, next)) ? load(next.href, hops + 1) : redirected(next);
    };
    return load(url, 0);
  };
  return { tool: TOOL, handler, timeoutMs: 0 };
}

/** A document as it is shown. */
type Page = ConvertedDocument & DecodedPage;

async function readDocument(
  { url, body, contentType }: Download,
  mimeType: string,
  raw: boolean,
  options: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<Page> {
  const isPdf = mimeType === 'application/pdf' || new TextDecoder('latin1').decode(body.subarray(0, 5)) === '%PDF-';
  try {
    if (isPdf) return asSeen(await pdfToText(body, options), []);
    const { text, notes } = decodePage(body, contentType);
    const isHtml = /html/.test(mimeType) || (mimeType === '' && /^\s*<(?:!doctype|html)/i.test(sliceHead(text, 200)));
    if (isHtml && !raw) return asSeen(await htmlToMarkdown(text, url.href, options), notes);
    if (isHtml || TEXTUAL.test(mimeType) || !body.subarray(0, 8000).includes(0))
      return { text: visibleText(text), title: '', notes };
  } catch (error) {
    options.signal.throwIfAborted();
    const reason = errorMessage(error);
    throw new KernelError('TOOL_FAILED', `${sliceHead(url.href, 300)} was loaded and cannot be read: ${reason}.`, {
      hint: isPdf ? 'It may be damaged or encrypted.' : 'Ask for it with raw: true.',
      cause: error,
    });
  }
  throw new KernelError('TOOL_FAILED', `${sliceHead(url.href, 300)} is not text (${mimeType || 'no media type'}).`);
}

/** A page with less text than this may be one that its scripts make. */
const FEW_CHARACTERS = 200;

function asSeen(
  { text, title, frames = [], hasScripts = false, ...rest }: ConvertedDocument,
  notes: Page['notes'],
): Page {
  const seen = seenText(text);
  const isEmpty = seen === '';
  const all = [...notes];
  if (isEmpty && frames.length > 0) all.push(`Frames: ${frames.join(' ')} (load the one that you want)`);
  else if (hasScripts && seen.length < FEW_CHARACTERS)
    all.push(`Scripts: ${isEmpty ? 'they make this page' : 'they may make more of this page'}, and they are not run`);
  return { ...rest, text: seen, title: sliceHead(seenText(title).replaceAll(/\s+/g, ' ').trim(), 300), notes: all };
}

/** Bytes that are not an image would make a provider refuse the whole conversation. */
function toImage({ url, body, contentType }: Download): ToolResult {
  const mimeType = mediaTypeOf(body) ?? '';
  if (!IMAGES.has(mimeType))
    throw new KernelError(
      'TOOL_FAILED',
      `${sliceHead(url.href, 300)} is not an image, although it says ${contentType}.`,
    );
  return { forLLM: `The image at ${url.href}.`, media: [{ type: 'image', mimeType, data: toBase64(body) }] };
}

/** The page after all that is said about it, which ends with the first empty line: nothing in the page can look like it. */
function toPage(
  url: URL,
  { title, text, notes }: Page,
  { maxCharacters, start }: { readonly start: number; readonly maxCharacters: number },
): ToolResult {
  const part = sliceHead(text.slice(start), maxCharacters).toWellFormed();
  const end = start + part.length;
  const lines = [`Address: ${url.href}`];
  if (title !== '') lines.push(`Title: ${title}`);
  lines.push(...notes);
  if (end < text.length) lines.push(`Part: characters ${start} to ${end} of ${text.length}; go on with start: ${end}.`);
  const data = { url: url.href, title, characters: text.length };
  return { forLLM: `${lines.join('\n')}\n\n${part === '' ? '(nothing)' : part}`, data };
}

function redirected(location: URL): ToolResult {
  return {
    forLLM: `It redirects to another host: ${location.href}\nLoad that address if you want it.`,
    data: { redirect: location.href },
  };
}

function snippet({ body, contentType }: Download): string {
  const { text } = decodePage(body.subarray(0, 2000), contentType);
  const seen = text.replaceAll(/<[^>]{0,500}>/g, ' ').replaceAll(/\s+/g, ' ');
  return JSON.stringify(sliceHead(seen.trim(), 200));
}
