import type { AssistantMessage, JsonValue, MediaPart, Message, TextPart, ToolMessage } from '@kernel/protocol';
import { callInput } from '../wire/call-input.ts';
import { asFields, asText, parseJson } from '../json-fields.ts';
import { dataOf } from '../wire/media.ts';
import { LETTER_FIRST_NAMES, toWireName } from '../wire/names.ts';

/** Writes a message as parts. `vendor` alone gets its own thought signatures back. Calls and results pair by order: this wire needs no ids. @internal */
export function toParts(message: Message, vendor: string): readonly object[] {
  switch (message.role) {
    case 'user':
      return contentParts(message.content);
    case 'assistant':
      return assistantParts(message, message.provider?.vendor === vendor);
    case 'tool':
      return resultParts(message);
    case 'system':
    default:
      return [];
  }
}

function assistantParts(message: AssistantMessage, ours: boolean): readonly object[] {
  return message.content.flatMap((part): readonly object[] => {
    const signed = ours && part.type !== 'text' ? signatureOf(part.providerData) : {};
    if (part.type === 'text') return part.text === '' ? [] : [{ text: part.text }];
    // Thoughts themselves do not go back; their signature does, on an empty part, as it came.
    if (part.type === 'reasoning') return 'thoughtSignature' in signed ? [{ text: '', ...signed }] : [];
    return [{ functionCall: { name: toWireName(part.name, LETTER_FIRST_NAMES), args: callInput(part) }, ...signed }];
  });
}

function signatureOf(providerData: JsonValue | undefined): { thoughtSignature?: string } {
  const thoughtSignature = asText(asFields(providerData)?.['thoughtSignature']);
  return thoughtSignature === undefined ? {} : { thoughtSignature };
}

function resultParts(message: ToolMessage): readonly object[] {
  const { content } = message;
  const parts = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content;
  const text = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
  const data = asFields(parseJson(text));
  const response = message.isError === true ? { error: text } : (data ?? { result: text });
  return [
    { functionResponse: { name: toWireName(message.name, LETTER_FIRST_NAMES), response } },
    ...parts.flatMap((part) => (part.type === 'text' ? [] : [mediaPart(part)])),
  ];
}

function contentParts(content: string | readonly (TextPart | MediaPart)[]): readonly object[] {
  if (typeof content === 'string') return [{ text: content }];
  return content.map((part) => (part.type === 'text' ? { text: part.text } : mediaPart(part)));
}

function mediaPart(part: MediaPart): object {
  if (part.url !== undefined) return { fileData: { mimeType: part.mimeType, fileUri: part.url } };
  return { inlineData: { mimeType: part.mimeType, data: dataOf(part, 'generateContent') } };
}
