import { basename, join, resolve } from 'node:path';
import type { MediaPart } from '@kernel/protocol';
import { readBytes } from '../files/read-file.ts';
import type { Host } from '../host.ts';
import { usageError } from '../usage-error.ts';
import { downloadMedia } from './download-media.ts';
import { mediaType } from './media-type.ts';

/** The largest attachment, in bytes. */
const MAX_BYTES = 20 * 1024 * 1024;
const TIMEOUT_MS = 30_000;
const MAX_REDIRECTS = 5;

/** What each flag takes. */
const KINDS = {
  '-a': { meant: 'an image, a recording or a PDF', accepts: () => true },
  '--images': { meant: 'a PNG, JPEG, GIF or WebP image', accepts: (type: string) => type.startsWith('image/') },
} as const;

/** What attachments are loaded with. */
export interface AttachmentAccess {
  /** The folder that relative paths start from, and the home folder of `~/`. */
  readonly host: Pick<Host, 'cwd' | 'home'>;
  /** What was piped into the program: the attachment `-`. */
  readonly stdin: Uint8Array;
  /** Whether a URL may lead to loopback, private and link-local addresses. */
  readonly allowPrivate: boolean;
  /** Aborts the loading. */
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
  const mimeType = mediaType(bytes);
  const { meant, accepts } = KINDS[flag];
  if (mimeType === undefined || !accepts(mimeType)) throw usageError(`${flag}: "${source}" is not ${meant}.`);
  const name = nameOf(source);
  const type = mimeType.startsWith('image/') ? 'image' : mimeType.startsWith('audio/') ? 'audio' : 'file';
  return { type, mimeType, data: Buffer.from(bytes).toString('base64'), ...(name === '' ? {} : { name }) };
}

async function load(
  flag: string,
  source: string,
  { host: { cwd, home }, stdin, allowPrivate, signal }: AttachmentAccess,
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
  const path = source.startsWith('~/') ? join(home, source.slice(2)) : resolve(cwd, source);
  const bytes = await readBytes(path, { what: flag, shown: source, maxBytes: MAX_BYTES });
  if (bytes === undefined) throw usageError(`${flag}: "${source}" cannot be read (ENOENT).`);
  return bytes;
}

function isUrl(source: string): boolean {
  return /^https?:\/\//i.test(source);
}

function nameOf(source: string): string {
  if (source === '-') return '';
  return basename(isUrl(source) ? new URL(source).pathname : source);
}
