import { toJsonText } from '@kernel/internal';
import type { WireSettings } from '../config/wire-settings.ts';
import { partOf, type FileUpload, type UploadedFile } from '../files/upload-form.ts';
import { protocolError } from '../http/errors.ts';
import { requestJson, requestReply } from '../http/response-text.ts';
import { asFields, asText } from '../json-fields.ts';
import type { WireContext } from '../wire/wire.ts';

/** https://ai.google.dev/gemini-api/docs/files */
export async function uploadGeminiFile(
  context: WireContext,
  { basePath, name: provider, origin, query }: WireSettings,
  file: FileUpload,
): Promise<UploadedFile> {
  const { data, mimeType, name, signal } = file;
  const begun = await requestReply(
    context.client,
    {
      path: `/upload${basePath}/files${query}`,
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
  if (target?.origin !== origin) throw protocolError(provider, `the upload has no address at ${origin}.`);
  const headers = { 'x-goog-upload-offset': '0', 'x-goog-upload-command': 'upload, finalize' };
  const path = `${target.pathname}${target.search}`;
  const reply = await requestJson(context, { path, contentType: mimeType, headers, body: data }, signal);
  const uploaded = asFields(asFields(reply)?.['file']);
  const [id = '', url = ''] = [asText(uploaded?.['name']), asText(uploaded?.['uri'])];
  if (id === '' || url === '') throw protocolError(provider, 'the uploaded file has no name or no uri.');
  return { id, part: partOf(file, { url }) };
}
