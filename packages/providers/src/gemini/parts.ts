import type { AssistantMessage, JsonValue, MediaPart, Message, TextPart, ToolMessage } from '@kernel/protocol';
import { argumentsObject } from '../wire/arguments.ts';
import { asFields, asText, parseJson } from '../json-fields.ts';
import { dataOf, opaqueData } from '../wire/media.ts';
import { partsForVendor } from '../wire/server-tools/parts-for-vendor.ts';
import { LETTER_FIRST_TOOL_NAME, toWireName } from '../wire/names.ts';

/** Signatures and opaque parts go back only to the `vendor` that produced them. Calls and results are paired by order: this API needs no ids. */
export function toParts(message: Message, vendor: string, foreignSignature?: string): readonly object[] {
  switch (message.role) {
    case 'user':
      return contentParts(message.content);
    case 'assistant':
      return assistantParts(message, vendor, foreignSignature);
    case 'tool':
      return resultParts(message);
    case 'system':
    default:
      return [];
  }
}

function assistantParts(
  message: AssistantMessage,
  vendor: string,
  foreignSignature: string | undefined,
): readonly object[] {
  const isOwn = message.provider?.vendor === vendor;
  let isFirst = true;
  return partsForVendor(message, vendor).flatMap((part): readonly object[] => {
    if (part.type === 'opaque') return isOwn ? opaqueData(part) : [];
    const signed = isOwn && part.type !== 'text' ? signatureOf(part.providerData) : {};
    if (part.type === 'text') return part.text === '' ? [] : [{ text: part.text }];
    // Thoughts are not sent back; their signature is, on an empty part, as it was received.
    if (part.type === 'reasoning') return 'thoughtSignature' in signed ? [{ text: '', ...signed }] : [];
    // The model demands a signature on the first call of a step, and on no other.
    const needsSignature = isFirst && foreignSignature !== undefined && !('thoughtSignature' in signed);
    isFirst = false;
    return [
      {
        functionCall: { name: toWireName(part.name, LETTER_FIRST_TOOL_NAME), args: argumentsObject(part) },
        ...(needsSignature ? { thoughtSignature: foreignSignature } : signed),
      },
    ];
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
    { functionResponse: { name: toWireName(message.name, LETTER_FIRST_TOOL_NAME), response } },
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
