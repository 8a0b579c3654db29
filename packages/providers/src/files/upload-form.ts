import type { MediaPart } from '@kernel/protocol';
import { encodeForm } from '../http/form-data.ts';
import { protocolError } from '../http/errors.ts';
import { requestJson } from '../http/response-text.ts';
import { asFields, asText } from '../json-fields.ts';
import type { WireContext } from '../wire/wire.ts';

/** A file to upload, and how. */
export interface FileUpload {
  /** Its bytes. */
  readonly data: Uint8Array;
  /** Its media type, such as `application/pdf`. It decides the type of the part: `image`, `audio` or `file`. */
  readonly mimeType: string;
  /** Its file name. */
  readonly name: string;
  /** OpenAI's `purpose` of the file; other vendors have none. Default `user_data`: input for the model. */
  readonly purpose?: string | undefined;
  /** Aborts the upload. */
  readonly signal?: AbortSignal | undefined;
}

/** A file that the vendor stores. */
export interface UploadedFile {
  /** The vendor's id of the file. */
  readonly id: string;
  /** The part to put into a message to this vendor. */
  readonly part: MediaPart;
}

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
