import { randomUUID } from 'node:crypto';
import { KernelError, type TranscribeRequest, type Transcript } from '@kernel/protocol';
import type { Client } from '../wire/wire-context.ts';
import { asFields, asNumber, asText } from '../json-fields.ts';
import { readOptions } from '../config/model-options.ts';
import { collectText, readJson } from '../http/response-text.ts';
import type { ChatSettings } from './quirks.ts';

const TAKEN = new Set(['model', 'file']);

/** Posts a recording to `/audio/transcriptions` as multipart form data. Reads JSON replies and plain text. @internal */
export async function transcribe(
  client: Client,
  settings: ChatSettings,
  request: TranscribeRequest,
): Promise<Transcript> {
  const { rest, temperature } = readOptions({}, request.options, TAKEN);
  const fields = Object.entries({
    model: request.model,
    ...(temperature === undefined ? {} : { temperature }),
    ...rest,
  });
  const boundary = `form-${randomUUID()}`;
  const call = {
    path: settings.path('audio/transcriptions', request.model),
    contentType: `multipart/form-data; boundary=${boundary}`,
    accept: 'application/json',
    body: writeForm(boundary, fields, request.audio),
  };
  const text = await collectText(client.caller, call, request.signal);
  if (!text.trimStart().startsWith('{') && !text.trimStart().startsWith('<')) return { text: text.trim() };
  const reply = asFields(readJson(settings.name, text, client.redactor));
  const said = asText(reply?.['text']);
  if (said === undefined) throw new KernelError('PROVIDER_PROTOCOL', `${settings.name}: the reply holds no text.`);
  const language = asText(reply?.['language']);
  const duration = asNumber(Number(reply?.['duration'] ?? Number.NaN));
  return {
    text: said,
    ...(language === undefined ? {} : { language }),
    ...(duration === undefined ? {} : { durationSeconds: duration }),
  };
}

function writeForm(
  boundary: string,
  fields: readonly (readonly [string, unknown])[],
  audio: TranscribeRequest['audio'],
): Uint8Array {
  const parts: (string | Uint8Array)[] = fields.map(
    ([name, value]) =>
      `--${boundary}\r\ncontent-disposition: form-data; name="${quoted(name)}"\r\n\r\n${typeof value === 'string' ? value : JSON.stringify(value)}\r\n`,
  );
  parts.push(
    `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="${quoted(audio.name)}"\r\n`,
    `content-type: ${audio.mimeType.replaceAll(/[\r\n]/g, '')}\r\n\r\n`,
    audio.data,
    `\r\n--${boundary}--\r\n`,
  );
  return Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'utf8') : part)));
}

/** A form field's name can hold neither quotes nor line breaks; the escapes are those of the HTML standard. */
function quoted(name: string): string {
  return name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}
