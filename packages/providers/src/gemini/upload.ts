import { toJsonText } from '@kernel/internal';
import { KernelError } from '@kernel/protocol';
import type { WireSettings } from '../config/wire-settings.ts';
import { partOf } from '../files/part-of.ts';
import type { FileUpload, UploadedFile } from '../files/types.ts';
import { parseJsonResponse, requestReply, requestText } from '../http/response-text.ts';
import { asFields, asText } from '../json-fields.ts';
import type { WireContext } from '../wire/wire-context.ts';

/** https://ai.google.dev/gemini-api/docs/files */
export async function uploadGeminiFile(
  { client, redactor }: WireContext,
  { basePath, name: provider, origin, query }: WireSettings,
  file: FileUpload,
): Promise<UploadedFile> {
  const { data, mimeType, name, signal } = file;
  const accept = 'application/json';
  const begun = await requestReply(
    client,
    {
      path: `/upload${basePath}/files${query}`,
      contentType: 'application/json',
      accept,
      headers: {
        'x-goog-upload-protocol': 'resumable',
        'x-goog-upload-command': 'start',
        'x-goog-upload-header-content-length': String(data.length),
        'x-goog-upload-header-content-type': mimeType,
      },
      body: toJsonText({ file: { displayName: name } }),
    },
    signal,
  );
  const address = begun.headers['x-goog-upload-url'];
  const target = typeof address === 'string' && URL.canParse(address) ? new URL(address) : undefined;
  // The key goes to no other origin.
  if (target?.origin !== origin)
    throw new KernelError('PROVIDER_PROTOCOL', `${provider}: the upload has no address at ${origin}.`);
  const headers = { 'x-goog-upload-offset': '0', 'x-goog-upload-command': 'upload, finalize' };
  const path = `${target.pathname}${target.search}`;
  const text = await requestText(client, { path, contentType: mimeType, accept, headers, body: data }, signal);
  const uploaded = asFields(asFields(parseJsonResponse(provider, text, redactor))?.['file']);
  const [id = '', url = ''] = [asText(uploaded?.['name']), asText(uploaded?.['uri'])];
  if (id === '' || url === '')
    throw new KernelError('PROVIDER_PROTOCOL', `${provider}: the uploaded file has no name or no uri.`);
  return { id, part: partOf(file, { url }) };
}
