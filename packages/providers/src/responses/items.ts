import { argumentsText } from '../wire/arguments.ts';
import type { AssistantMessage, MediaPart, Message, TextPart, ToolMessage, JsonValue } from '@kernel/protocol';
import { asFields, asList, asText, type Fields, toJson } from '../json-fields.ts';
import { markError, opaqueData, textOrNote, unsupportedPart } from '../wire/media.ts';
import { markEnd } from '../openai/prompt-cache.ts';
import { unknownRoleError } from '../wire/check-request.ts';
import { partsForVendor } from '../wire/server-tools/parts-for-vendor.ts';
import { clientCallItem } from './client-calls.ts';
import { CALL_ID_RULES, TOOL_NAME, toWireId, toWireName } from '../wire/names.ts';

/**
 * Reasoning and opaque items go back only to the `vendor` that produced them, unchanged. `isStored`: the vendor keeps
 * what it replied, and finds it by its id.
 */
export function toItems(
  message: Message,
  vendor: string,
  detail: string | undefined,
  isStored = false,
): readonly object[] {
  switch (message.role) {
    case 'system':
      return [markEnd(message, { role: 'system', content: message.content }, 'content', 'input_text')];
    case 'user':
      return [
        markEnd(message, { role: 'user', content: userContent(message.content, detail) }, 'content', 'input_text'),
      ];
    case 'assistant':
      return assistantItems(message, vendor, isStored);
    case 'tool':
      return [markEnd(message, resultItem(message, detail), 'output', 'input_text')];
    default:
      throw unknownRoleError(message);
  }
}

function assistantItems(message: AssistantMessage, vendor: string, isStored: boolean): readonly object[] {
  const isOwn = message.provider?.vendor === vendor;
  const items: object[] = [];
  let reasoning: object[] = [];
  for (const part of partsForVendor(message, vendor)) {
    if (part.type === 'reasoning') {
      const item = isOwn ? asFields(part.providerData) : undefined;
      if (item?.['type'] === 'reasoning' && (isStored || isWhole(item))) reasoning.push(item);
      continue;
    }
    if ((part.type === 'text' && part.text === '') || (part.type === 'opaque' && !isOwn)) continue;
    // A reasoning item without the item that followed it is refused, so it is held back until there is one.
    items.push(...reasoning);
    reasoning = [];
    if (part.type === 'opaque') items.push(...opaqueData(part));
    else if (part.type === 'text') items.push({ role: 'assistant', content: contentOf(part) });
    else {
      const clientCall = isOwn ? clientCallItem(part.providerData) : undefined;
      if (clientCall !== undefined) {
        items.push(clientCall);
        continue;
      }
      const { id, name } = part;
      const call = {
        call_id: toWireId(id, CALL_ID_RULES['max-64']),
        name: toWireName(name, TOOL_NAME),
        arguments: argumentsText(part),
      };
      const data = isOwn ? asFields(asFields(part.providerData)?.['item']) : undefined;
      items.push({ ...data, type: 'function_call', ...call });
    }
  }
  return items;
}

/** Whether an item has what was thought, encrypted or as text: a vendor that kept nothing can't find it by its id. */
function isWhole(item: Fields): boolean {
  return (asText(item['encrypted_content']) ?? '') !== '' || asList(item['content']).length > 0;
}

/** Whether a reply of this vendor has reasoning that can't go back. */
export function hasUnencrypted(message: Message, vendor: string): boolean {
  if (message.role !== 'assistant' || message.provider?.vendor !== vendor) return false;
  return message.content.some((part) => {
    const item = part.type === 'reasoning' ? asFields(part.providerData) : undefined;
    return item?.['type'] === 'reasoning' && !isWhole(item);
  });
}

function contentOf({ providerData, text }: TextPart): unknown {
  const annotations = asFields(providerData)?.['citations'];
  return annotations === undefined ? text : [{ type: 'output_text', text, annotations }];
}

function resultItem(message: ToolMessage, detail: string | undefined): object {
  const { content } = message;
  const parts: readonly (TextPart | MediaPart)[] =
    typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  const hasMedia = parts.some(
    (part) => part.type === 'image' || (part.type === 'file' && (part.data ?? part.id) !== undefined),
  );
  const text = parts.map(textOrNote).join('\n');
  const output = hasMedia
    ? parts.map((part) => partOf(part, detail) ?? { type: 'input_text', text: textOrNote(part) })
    : markError(text, message.isError === true);
  return { type: 'function_call_output', call_id: toWireId(message.toolCallId, CALL_ID_RULES['max-64']), output };
}

function userContent(content: string | readonly (TextPart | MediaPart)[], detail: string | undefined): unknown {
  if (typeof content === 'string') return content;
  return content.map((part) => {
    const written = partOf(part, detail);
    if (written !== undefined) return written;
    throw unsupportedPart(`${part.type} parts`, 'Responses', 'Send text, images, and files as base64 in data.');
  });
}

function partOf(part: TextPart | MediaPart, detail: string | undefined): object | undefined {
  if (part.type === 'text') return { type: 'input_text', text: part.text };
  const { id } = part;
  const url = part.url ?? `data:${part.mimeType};base64,${part.data ?? ''}`;
  if (part.type === 'image') {
    const source = id === undefined ? { image_url: url } : { file_id: id };
    return { type: 'input_image', ...source, detail: detail ?? 'auto' };
  }
  if (part.type !== 'file') return undefined;
  if (id !== undefined) return { type: 'input_file', file_id: id };
  return part.url === undefined
    ? { type: 'input_file', filename: part.name ?? 'file', file_data: url }
    : { type: 'input_file', file_url: part.url };
}

export function reasoningOf(item: Fields): string {
  return [...asList(item['summary']), ...asList(item['content'])]
    .map((part) => asText(asFields(part)?.['text']) ?? '')
    .join('');
}

/** Leaves out the status, which is accepted in replies only. */
export function toReasoningData(item: Fields): JsonValue {
  const { status: _, ...rest } = item;
  return toJson(rest);
}

/** The fields of a call that only the vendor understands, such as its namespace. */
export function toCallData(item: Fields): JsonValue | undefined {
  const { type: _type, id: _id, call_id: _callId, name: _name, arguments: _text, status: _status, ...rest } = item;
  const own = Object.entries(rest).filter(([, value]) => value !== null);
  return own.length === 0 ? undefined : { item: toJson(Object.fromEntries(own)) };
}
