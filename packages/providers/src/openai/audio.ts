import type { AssistantMessage, JsonValue, MediaPart } from '@kernel/protocol';
import { asFields, asNumber, asText } from '../json-fields.ts';

const TYPES: ReadonlyMap<unknown, string> = new Map([
  ['wav', 'audio/wav'],
  ['mp3', 'audio/mpeg'],
  ['aac', 'audio/aac'],
  ['flac', 'audio/flac'],
  ['opus', 'audio/opus'],
  // 16 bits, little-endian, one channel, 24,000 a second.
  ['pcm16', 'audio/pcm'],
]);
/** A recording that expires within this time, in seconds, is no longer referred to. */
const MARGIN_S = 60;

export function audioTypeOf(audio: JsonValue | undefined): string | undefined {
  return TYPES.get(asFields(audio)?.['format']);
}

/** How such a message is sent depends on the time. */
export function hasRecording(message: AssistantMessage): boolean {
  return message.content.some((part) => part.type === 'audio' && part.providerData !== undefined);
}

/** Returns undefined if there is no recording, or if it expires soon. */
export function recordingOf(
  message: AssistantMessage,
): { readonly id: string; readonly rest: AssistantMessage } | undefined {
  const parts = message.content.filter((part): part is MediaPart => part.type === 'audio');
  const [part, other] = parts;
  const id = part === undefined || other !== undefined ? undefined : idOf(part);
  if (id === undefined) return undefined;
  return { id, rest: { ...message, content: message.content.filter((each) => each.type !== 'audio') } };
}

function idOf({ providerData }: MediaPart): string | undefined {
  const data = asFields(providerData);
  const expiresAt = asNumber(data?.['expiresAt']) ?? Infinity;
  return expiresAt - MARGIN_S > Date.now() / 1000 ? asText(data?.['id']) : undefined;
}
