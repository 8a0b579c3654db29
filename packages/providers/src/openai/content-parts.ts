import { KernelError, type MediaPart, type TextPart } from '@kernel/protocol';

/** One part of a user message on the wire. @internal */
export type WirePart = Readonly<Record<string, unknown>>;

const AUDIO_FORMATS: ReadonlyMap<string, string> = new Map([
  ['audio/wav', 'wav'],
  ['audio/x-wav', 'wav'],
  ['audio/wave', 'wav'],
  ['audio/mpeg', 'mp3'],
  ['audio/mp3', 'mp3'],
]);

/** Encodes a part of a user message. Throws `PROVIDER_UNSUPPORTED` for media that this wire cannot carry. */
export function encodePart(part: TextPart | MediaPart, detail: string | undefined): WirePart {
  if (part.type === 'text') return { type: 'text', text: part.text };
  if (part.type === 'image') {
    return { type: 'image_url', image_url: { url: urlOf(part), ...(detail === undefined ? {} : { detail }) } };
  }
  if (part.data === undefined) {
    throw unsupported(`${part.type} parts by URL`, 'Load it and give it as base64 in data.');
  }
  if (part.type === 'file') {
    return { type: 'file', file: { filename: part.name ?? 'file', file_data: urlOf(part) } };
  }
  const format = AUDIO_FORMATS.get(part.mimeType);
  if (format === undefined)
    throw unsupported(`audio of type "${part.mimeType}"`, 'Convert it to audio/wav or audio/mpeg.');
  return { type: 'input_audio', input_audio: { data: part.data, format } };
}

/** The text of a tool result: its media become notes, since a tool message of this wire carries text alone. */
export function toolText(content: string | readonly (TextPart | MediaPart)[], isError: boolean): string {
  const text = typeof content === 'string' ? content : content.map(noteOf).join('\n');
  return isError && !text.startsWith('Error:') ? `Error: ${text}` : text;
}

function noteOf(part: TextPart | MediaPart): string {
  if (part.type === 'text') return part.text;
  const name = part.name === undefined ? '' : ` "${part.name}"`;
  const where = part.url === undefined ? '' : ` at ${part.url}`;
  return `[${part.type}${name} (${part.mimeType})${where}, left out: tool results are text here]`;
}

function urlOf(part: MediaPart): string {
  if (part.url !== undefined) return part.url;
  if (part.data !== undefined) return `data:${part.mimeType};base64,${part.data}`;
  throw new KernelError('CONFIG_INVALID', `A part of type "${part.type}" has neither data nor url.`, {
    hint: 'Set data (base64) or url.',
  });
}

function unsupported(what: string, hint: string): KernelError {
  return new KernelError('PROVIDER_UNSUPPORTED', `The chat-completions wire does not take ${what}.`, { hint });
}
