import type { MediaPart } from '@kernel/protocol';
import type { FileUpload } from './types.ts';

export function partOf({ mimeType, name }: FileUpload, place: Pick<MediaPart, 'id' | 'url'>): MediaPart {
  const [family] = mimeType.split('/', 1);
  const type = family === 'image' || family === 'audio' ? family : 'file';
  return Object.freeze({ type, mimeType, ...place, name });
}
