import { KernelError, type TranscribeRequest, type Transcript } from '@kernel/protocol';
import { resolveOptions } from '../config/model-options.ts';
import { joinBytes } from '../http/join-bytes.ts';
import { parseJsonResponse, requestText } from '../http/response-text.ts';
import { asFields, asNumber, asText } from '../json-fields.ts';
import type { WireContext } from '../wire/wire-context.ts';
import type { ChatSettings } from './config.ts';

const RESERVED_KEYS = new Set(['model', 'file']);

/** Posts a recording to `/audio/transcriptions` as multipart form data. Reads JSON and plain-text replies. @internal */
export async function transcribe(
  { client, redactor }: WireContext,
  settings: ChatSettings,
  request: TranscribeRequest,
): Promise<Transcript> {
  const { extra, temperature } = resolveOptions({}, request.options, RESERVED_KEYS);
  const fields = Object.entries({
    model: request.model,
    ...(temperature === undefined ? {} : { temperature }),
    ...extra,
  });
  const boundary = `form-${crypto.getRandomValues(new Uint32Array(4)).join('-')}`;
  const post = {
    path: settings.path('audio/transcriptions'),
    contentType: `multipart/form-data; boundary=${boundary}`,
    accept: 'application/json',
    body: encodeForm(boundary, fields, request.audio),
  };
  const text = await requestText(client, post, request.signal);
  if (!text.trimStart().startsWith('{') && !text.trimStart().startsWith('<')) return { text: text.trim() };
  const reply = asFields(parseJsonResponse(settings.name, text, redactor));
  const transcript = asText(reply?.['text']);
  if (transcript === undefined) {
    throw new KernelError('PROVIDER_PROTOCOL', `${settings.name}: the reply has no text.`);
  }
  const language = asText(reply?.['language']);
  const duration = asNumber(Number(reply?.['duration'] ?? Number.NaN));
  return {
    text: transcript,
    ...(language === undefined ? {} : { language }),
    ...(duration === undefined ? {} : { durationSeconds: duration }),
  };
}

function encodeForm(
  boundary: string,
  fields: readonly (readonly [string, unknown])[],
  audio: TranscribeRequest['audio'],
): Uint8Array {
  const parts: (string | Uint8Array)[] = fields.map(
    ([name, value]) =>
      `--${boundary}\r\ncontent-disposition: form-data; name="${escapeName(name)}"\r\n\r\n${typeof value === 'string' ? value : JSON.stringify(value)}\r\n`,
  );
  parts.push(
    `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="${escapeName(audio.name)}"\r\n`,
    `content-type: ${audio.mimeType.replaceAll(/[\r\n]/g, '')}\r\n\r\n`,
    audio.data,
    `\r\n--${boundary}--\r\n`,
  );
  return joinBytes(parts);
}

/** Escapes quotes and line breaks of a form field's name as the HTML standard does. */
function escapeName(name: string): string {
  return name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}
