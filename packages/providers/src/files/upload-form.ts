import { KernelError } from '@kernel/protocol';
import { encodeForm } from '../http/form-data.ts';
import { parseJsonResponse, requestText } from '../http/response-text.ts';
import { asFields, asText } from '../json-fields.ts';
import type { WireContext } from '../wire/wire-context.ts';
import { partOf } from './part-of.ts';
import type { FileUpload, UploadedFile } from './types.ts';

export async function uploadForm(
  { client, redactor }: WireContext,
  provider: string,
  path: string,
  fields: readonly (readonly [string, string])[],
  file: FileUpload,
): Promise<UploadedFile> {
  const request = { path, accept: 'application/json', ...encodeForm(fields, file) };
  const text = await requestText(client, request, file.signal);
  const id = asText(asFields(parseJsonResponse(provider, text, redactor))?.['id']);
  if (id === undefined || id === '')
    throw new KernelError('PROVIDER_PROTOCOL', `${provider}: the uploaded file has no id.`);
  return { id, part: partOf(file, { id }) };
}
