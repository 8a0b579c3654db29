import { basename, join, resolve } from 'node:path';
import type { MediaPart } from '@kernel/protocol';
import { readBytes } from '../files/read-file.ts';
import { usageError } from '../usage-error.ts';
import { download } from './download.ts';
import { imageType } from './image-type.ts';
import { isPrivateAddress } from './private-address.ts';

const MAX_BYTES = 20_971_520;
const TIMEOUT_MS = 30_000;

/** What loading an image may access. */
export interface ImageAccess {
  /** The folder that relative paths start from. */
  readonly cwd: string;
  /** The folder that `~/` stands for. */
  readonly home: string;
  /** Whether a URL may lead to loopback, private and link-local addresses. */
  readonly allowPrivate: boolean;
  /** Aborts the download. */
  readonly signal: AbortSignal;
}

/** Loads an image of at most 20 MiB from a path (`~/` is the home folder) or an http(s) URL, and checks its type by its bytes. */
export async function loadImage(source: string, access: ImageAccess): Promise<MediaPart> {
  const isUrl = /^https?:\/\//i.test(source);
  const bytes = isUrl
    ? await download(source, {
        signal: access.signal,
        maxBytes: MAX_BYTES,
        timeoutMs: TIMEOUT_MS,
        isRefused: access.allowPrivate ? () => false : isPrivateAddress,
      })
    : await readImage(source, access);
  const mimeType = imageType(bytes);
  if (mimeType === undefined) throw usageError(`--images: "${source}" is not a PNG, JPEG, GIF or WebP image.`);
  const name = basename(isUrl ? new URL(source).pathname : source);
  return { type: 'image', mimeType, data: Buffer.from(bytes).toString('base64'), ...(name === '' ? {} : { name }) };
}

async function readImage(source: string, { cwd, home }: ImageAccess): Promise<Uint8Array> {
  const path = source.startsWith('~/') ? join(home, source.slice(2)) : resolve(cwd, source);
  const bytes = await readBytes(path, { what: '--images', shown: source, maxBytes: MAX_BYTES });
  if (bytes === undefined) throw usageError(`--images: "${source}" cannot be read (ENOENT).`);
  return bytes;
}
