import { basename } from 'node:path';
import { KernelError, type MediaPart } from '@kernel/protocol';
import type { DownloadOptions } from '@kernel/toolbox/web';
import { usageError } from '../exit-code.ts';
import { pathFrom } from '../files/paths.ts';
import { requireBytes } from '../files/read-file.ts';
import type { Host } from '../host.ts';

const MAX_BYTES = 20 * 1024 * 1024;
const TIMEOUT_MS = 30_000;
const MAX_REDIRECTS = 5;

const KINDS = {
  '-a': { meant: 'an image, a recording or a PDF', accepts: () => true },
  '--images': { meant: 'a PNG, JPEG, GIF or WebP image', accepts: (type: string) => type.startsWith('image/') },
} as const;

interface AttachmentAccess {
  /** The folder that relative paths start from, and the home folder of `~/`. */
  readonly host: Pick<Host, 'cwd' | 'home'>;
  /** What was piped into the program: the attachment `-`. */
  readonly stdin: Uint8Array;
  /** Whether a URL may lead to loopback, private and link-local addresses. */
  readonly allowPrivate: boolean;
  readonly signal: AbortSignal;
}

/**
 * Loads an attachment of at most 20 MiB, an image, a recording or a PDF by its first bytes: from a path, an http(s) URL, or `-` for stdin. Rejects with
 * a usage error that begins with `flag` and names the source.
 */
export async function loadAttachment(
  flag: keyof typeof KINDS,
  source: string,
  access: AttachmentAccess,
): Promise<MediaPart> {
  const bytes = await load(flag, source, access);
  const { meant, accepts } = KINDS[flag];
  const part = mediaOf(bytes, nameOf(source));
  if (part === undefined || !accepts(part.mimeType)) throw usageError(`${flag}: "${source}" is not ${meant}.`);
  return part;
}

/** Data as a part of a message. Throws a usage error for what is neither an image, a recording nor a PDF by its first bytes. */
export function mediaPart(bytes: Uint8Array, name: string): MediaPart {
  const part = mediaOf(bytes, name);
  if (part !== undefined) return part;
  throw usageError(`it is not text, and not ${KINDS['-a'].meant}.`);
}

function mediaOf(bytes: Uint8Array, name: string): (MediaPart & { readonly mimeType: string }) | undefined {
  const mimeType = mediaType(bytes);
  if (mimeType === undefined) return undefined;
  const type = mimeType.startsWith('image/') ? 'image' : mimeType.startsWith('audio/') ? 'audio' : 'file';
  return { type, mimeType, data: Buffer.from(bytes).toString('base64'), ...(name === '' ? {} : { name }) };
}

async function load(
  flag: string,
  source: string,
  { host, stdin, allowPrivate, signal }: AttachmentAccess,
): Promise<Uint8Array> {
  if (source === '-') {
    if (stdin.length === 0) throw usageError(`${flag}: "-" means stdin, which is empty.`);
    return stdin;
  }
  if (isUrl(source))
    return downloadMedia(source, {
      signal,
      maxBytes: MAX_BYTES,
      timeoutMs: TIMEOUT_MS,
      maxRedirects: MAX_REDIRECTS,
      ...(allowPrivate ? { mayConnect: () => true } : {}),
    });
  return requireBytes(pathFrom(host, source), flag, source, MAX_BYTES);
}

function isUrl(source: string): boolean {
  return /^https?:\/\//i.test(source);
}

function nameOf(source: string): string {
  if (source === '-') return '';
  return basename(isUrl(source) ? new URL(source).pathname : source);
}

/** Splits a list of paths and URLs at its commas, but for those of a `data:` URL: at the commas after the last `;base64`. Empty entries are left out. */
export function splitSources(list: string): readonly string[] {
  const from = list.lastIndexOf(';base64') + 1;
  const [first = '', ...rest] = list.slice(from).split(',');
  return [list.slice(0, from) + first, ...rest].map((source) => source.trim()).filter(Boolean);
}

/** The first bytes of the media that models take, in hexadecimal; a dot stands for any digit. */
const SIGNATURES: readonly (readonly [mimeType: string, pattern: RegExp])[] = [
  ['image/png', /^89504e470d0a1a0a/],
  ['image/jpeg', /^ffd8ff/],
  ['image/gif', /^474946383[79]61/],
  ['image/webp', /^52494646.{8}57454250/],
  ['application/pdf', /^255044462d/],
  ['audio/wav', /^52494646.{8}57415645/],
  ['audio/mpeg', /^(?:494433|fff[3ab])/],
  ['audio/ogg', /^4f676753/],
  ['audio/flac', /^664c6143/],
  ['audio/mp4', /^.{8}667479704d3441/],
  ['audio/webm', /^1a45dfa3/],
];

/** Returns the MIME type of an image, a recording or a PDF by its first bytes; `undefined` for anything else. */
function mediaType(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.subarray(0, 16)).toString('hex');
  return SIGNATURES.find(([, pattern]) => pattern.test(head))?.[0];
}

/** Downloads an attachment within the limits. Rejects with `PROVIDER_NETWORK` and the reason. */
async function downloadMedia(source: string, options: DownloadOptions): Promise<Uint8Array> {
  const { guardedGet } = await import('@kernel/toolbox/web');
  try {
    const { status, body } = await guardedGet(source, {
      ...options,
      headers: { accept: 'image/*, audio/*, application/pdf' },
    });
    if (status === 200) return body;
    throw new KernelError('TOOL_FAILED', `${JSON.stringify(source)} was not loaded: the server answered ${status}.`);
  } catch (error) {
    options.signal.throwIfAborted();
    if (!KernelError.is(error)) throw error;
    const isPrivate = error.message.includes('not a public address');
    throw new KernelError('PROVIDER_NETWORK', `The attachment ${error.message}`, {
      ...(isPrivate ? { hint: '--allow-private-images allows it.' } : {}),
      cause: error,
    });
  }
}
