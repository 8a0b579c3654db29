import type { AssistantMessage, JsonValue, MediaPart, Message, TextPart, ToolMessage } from '@kernel/protocol';
import { callInput } from '../wire/call-input.ts';
import { asFields, asText } from '../json-fields.ts';
import { mediaNote, unsupportedPart } from '../wire/media.ts';
import { CALL_IDS, PLAIN_NAMES, toWireId, toWireName } from '../wire/names.ts';

/** Writes a message as content blocks, each as JSON text. `vendor` alone gets its own reasoning back. @internal */
export function toBlocks(message: Message, vendor: string): readonly string[] {
  return blocksOf(message, vendor).map((block) => JSON.stringify(block));
}

function blocksOf(message: Message, vendor: string): readonly object[] {
  switch (message.role) {
    case 'system':
      return [];
    case 'user':
      return contentBlocks(message.content, toUserBlock);
    case 'assistant':
      return assistantBlocks(message, message.provider?.vendor === vendor);
    case 'tool':
      return [resultBlock(message)];
    default:
      return [];
  }
}

function assistantBlocks(message: AssistantMessage, ours: boolean): readonly object[] {
  const blocks = message.content.flatMap((part): readonly object[] => {
    if (part.type === 'text') return part.text.trim() === '' ? [] : [{ type: 'text', text: part.text }];
    if (part.type === 'reasoning') return ours ? reasoningBlock(part.text, part.providerData) : [];
    const id = toWireId(part.id, CALL_IDS.plain);
    return [{ type: 'tool_use', id, name: toWireName(part.name, PLAIN_NAMES), input: callInput(part) }];
  });
  // Reasoning alone is refused: what it led to is gone.
  return blocks.some((block) => !('thinking' in block || 'data' in block)) ? blocks : [];
}

function reasoningBlock(text: string, providerData: JsonValue | undefined): readonly object[] {
  const data = asFields(providerData);
  const redacted = asText(data?.['redacted']);
  if (redacted !== undefined) return [{ type: 'redacted_thinking', data: redacted }];
  const signature = asText(data?.['signature']);
  return signature === undefined ? [] : [{ type: 'thinking', thinking: text, signature }];
}

function resultBlock(message: ToolMessage): object {
  const { content } = message;
  const blocks = contentBlocks(content, toResultBlock);
  return {
    type: 'tool_result',
    tool_use_id: toWireId(message.toolCallId, CALL_IDS.plain),
    ...(typeof content === 'string' && content !== '' ? { content } : blocks.length === 0 ? {} : { content: blocks }),
    ...(message.isError === true ? { is_error: true } : {}),
  };
}

function contentBlocks(
  content: string | readonly (TextPart | MediaPart)[],
  write: (part: TextPart | MediaPart) => object,
): readonly object[] {
  const parts = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content;
  // The wire refuses empty text.
  return parts.filter((part) => part.type !== 'text' || part.text.trim() !== '').map(write);
}

function toUserBlock(part: TextPart | MediaPart): object {
  if (part.type === 'text') return { type: 'text', text: part.text };
  const block = mediaBlock(part);
  if (block !== undefined) return block;
  throw unsupportedPart(`${part.type} of type "${part.mimeType}"`, 'Messages', 'Send an image, a PDF or plain text.');
}

function toResultBlock(part: TextPart | MediaPart): object {
  if (part.type === 'text') return { type: 'text', text: part.text };
  return mediaBlock(part) ?? { type: 'text', text: mediaNote(part) };
}

function mediaBlock(part: MediaPart): object | undefined {
  const source =
    part.url === undefined
      ? { type: 'base64', media_type: part.mimeType, data: part.data ?? '' }
      : { type: 'url', url: part.url };
  if (part.type === 'image') return { type: 'image', source };
  if (part.type !== 'file') return undefined;
  const title = part.name === undefined ? {} : { title: part.name };
  if (part.mimeType === 'application/pdf') return { type: 'document', source, ...title };
  if (!part.mimeType.startsWith('text/') || part.data === undefined) return undefined;
  const data = Buffer.from(part.data, 'base64').toString('utf8');
  return { type: 'document', source: { type: 'text', media_type: 'text/plain', data }, ...title };
}
