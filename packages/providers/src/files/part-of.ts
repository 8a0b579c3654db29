import type { MediaPart } from '@kernel/protocol';
import type { FileUpload } from './types.ts';

/** The part of an uploaded file, by its id or its address. @internal */
export function partOf({ mimeType, name }: FileUpload, place: Pick<MediaPart, 'id' | 'url'>): MediaPart {
  const [family] = mimeType.split('/', 1);
  const type = family === 'image' || family === 'audio' ? family : 'file';
  return Object.freeze({ type, mimeType, ...place, name });
}
