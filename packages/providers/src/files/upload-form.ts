import type { FileUpload, UploadedFile } from './types.ts';
import type { MediaPart } from '@kernel/protocol';
import { encodeForm } from '../http/form-data.ts';
import { protocolError } from '../http/errors.ts';
import { requestJson } from '../http/response-text.ts';
import { asFields, asText } from '../json-fields.ts';
import type { WireContext } from '../wire/wire.ts';

export async function uploadForm(
  context: WireContext,
  path: string,
  fields: readonly (readonly [string, string])[],
  file: FileUpload,
): Promise<UploadedFile> {
  const uploaded = asFields(await requestJson(context, { path, ...encodeForm(fields, file) }, file.signal));
  const id = asText(uploaded?.['id']);
  if (id === undefined || id === '') throw protocolError(context.name, 'the uploaded file has no id.');
  return { id, part: partOf(file, { id }) };
}

export function partOf({ mimeType, name }: FileUpload, place: Pick<MediaPart, 'id' | 'url'>): MediaPart {
  const [family] = mimeType.split('/', 1);
  const type = family === 'image' || family === 'audio' ? family : 'file';
  return Object.freeze({ type, mimeType, ...place, name });
}
