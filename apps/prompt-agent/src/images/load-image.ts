import { open } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import type { MediaPart } from '@kernel/protocol';
import { usageFault } from '../usage-fault.ts';
import { download } from './download.ts';
import { imageType } from './image-type.ts';
import { isPrivateAddress } from './private-address.ts';

const MAX_BYTES = 20_971_520;
const TIMEOUT_MS = 30_000;

/** What loading an image may do. */
export interface ImageAccess {
  readonly cwd: string;
  readonly home: string;
  /** Whether a URL may lead to loopback, private and link-local addresses. */
  readonly allowPrivate: boolean;
  readonly signal: AbortSignal;
}

/** Loads an image from a path (`~/` is the home folder) or an http(s) URL, at most 20 MiB, and checks by its bytes that it is one. */
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
  if (mimeType === undefined) throw usageFault(`--images: "${source}" is no PNG, JPEG, GIF or WebP image.`);
  const name = basename(isUrl ? new URL(source).pathname : source);
  return { type: 'image', mimeType, data: Buffer.from(bytes).toString('base64'), ...(name === '' ? {} : { name }) };
}

async function readImage(source: string, { cwd, home }: ImageAccess): Promise<Uint8Array> {
  const path = source.startsWith('~/') ? join(home, source.slice(2)) : resolve(cwd, source);
  const file = await open(path).catch(() => {
    throw usageFault(`--images: "${source}" cannot be read.`);
  });
  try {
    const stats = await file.stat();
    if (!stats.isFile()) throw usageFault(`--images: "${source}" is no file.`);
    if (stats.size > MAX_BYTES)
      throw usageFault(`--images: "${source}" has ${stats.size} bytes; at most ${MAX_BYTES} are sent.`);
    return await file.readFile();
  } finally {
    await file.close();
  }
}
