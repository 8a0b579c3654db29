import type { MediaPart, TextPart } from '@kernel/protocol';
import { dataOf, markError, textOrNote, unsupportedPart, urlOf } from '../wire/media.ts';

const API = 'chat-completions';

const AUDIO_FORMATS: ReadonlyMap<string, string> = new Map([
  ['audio/wav', 'wav'],
  ['audio/x-wav', 'wav'],
  ['audio/wave', 'wav'],
  ['audio/mpeg', 'mp3'],
  ['audio/mp3', 'mp3'],
]);

export function encodePart(part: TextPart | MediaPart, detail: string | undefined): object {
  if (part.type === 'text') return { type: 'text', text: part.text };
  if (part.type === 'image') {
    return { type: 'image_url', image_url: { url: urlOf(part, API), ...(detail === undefined ? {} : { detail }) } };
  }
  if (part.type === 'file' && part.id !== undefined) return { type: 'file', file: { file_id: part.id } };
  const data = dataOf(part, API);
  if (part.type === 'file') {
    return { type: 'file', file: { filename: part.name ?? 'file', file_data: urlOf(part, API) } };
  }
  const format = AUDIO_FORMATS.get(part.mimeType);
  if (format === undefined)
    throw unsupportedPart(`audio of type "${part.mimeType}"`, API, 'Convert it to audio/wav or audio/mpeg.');
  return { type: 'input_audio', input_audio: { data, format } };
}

/** A tool message of this wire carries only text. */
export function resultText(content: string | readonly (TextPart | MediaPart)[], isError: boolean): string {
  return markError(typeof content === 'string' ? content : content.map(textOrNote).join('\n'), isError);
}
