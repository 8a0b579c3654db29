import type { AssistantMessage, JsonValue, MediaPart, Message, TextPart, ToolMessage } from '@kernel/protocol';
import { argumentsObject } from '../wire/arguments.ts';
import { asFields, asText } from '../json-fields.ts';
import { dataOf, opaqueData, textOrNote, unsupportedPart } from '../wire/media.ts';
import { partsForVendor } from '../wire/server-tools/parts-for-vendor.ts';
import { documentName, DOCUMENTS } from './documents.ts';
import { CALL_ID_RULES, TOOL_NAME, toWireId, toWireName } from '../wire/names.ts';

const IMAGES: ReadonlyMap<string, string> = new Map([
  ['image/png', 'png'],
  ['image/jpeg', 'jpeg'],
  ['image/gif', 'gif'],
  ['image/webp', 'webp'],
]);
export function toBlocks(message: Message, vendor: string): readonly object[] {
  switch (message.role) {
    case 'user':
      return withText(contentBlocks(message.content, userBlock));
    case 'assistant':
      return assistantBlocks(message, vendor);
    case 'tool':
      return [resultBlock(message)];
    case 'system':
    default:
      return [];
  }
}

function assistantBlocks(message: AssistantMessage, vendor: string): readonly object[] {
  const isOwn = message.provider?.vendor === vendor;
  const blocks = partsForVendor(message, vendor).flatMap((part): readonly object[] => {
    if (part.type === 'text') return part.text.trim() === '' ? [] : [{ text: part.text }];
    if (part.type === 'reasoning') return isOwn ? reasoningBlock(part.text, part.providerData) : [];
    if (part.type === 'opaque') return isOwn ? opaqueData(part) : [];
    const toolUseId = toWireId(part.id, CALL_ID_RULES.word);
    return [{ toolUse: { toolUseId, name: toWireName(part.name, TOOL_NAME), input: argumentsObject(part) } }];
  });
  // A message of reasoning only is refused.
  return blocks.some((block) => !('reasoningContent' in block)) ? blocks : [];
}

function reasoningBlock(text: string, providerData: JsonValue | undefined): readonly object[] {
  const data = asFields(providerData);
  const redacted = asText(data?.['redacted']);
  if (redacted !== undefined) return [{ reasoningContent: { redactedContent: redacted } }];
  const signature = asText(data?.['signature']);
  return signature === undefined ? [] : [{ reasoningContent: { reasoningText: { text, signature } } }];
}

function resultBlock(message: ToolMessage): object {
  const content = contentBlocks(message.content, (part) => mediaBlock(part) ?? { text: textOrNote(part) });
  return {
    toolResult: {
      toolUseId: toWireId(message.toolCallId, CALL_ID_RULES.word),
      // The API refuses a result without content, and empty text.
      content: content.length === 0 ? [{ text: '(no output)' }] : content,
      status: message.isError === true ? 'error' : 'success',
    },
  };
}

function contentBlocks(
  content: string | readonly (TextPart | MediaPart)[],
  encode: (part: MediaPart) => object,
): readonly object[] {
  const parts = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content;
  return parts.flatMap((part): readonly object[] => {
    if (part.type !== 'text') return [encode(part)];
    return part.text.trim() === '' ? [] : [{ text: part.text }];
  });
}

/** The API refuses a document without a text beside it. */
function withText(blocks: readonly object[]): readonly object[] {
  const needsText = blocks.some((block) => 'document' in block) && !blocks.some((block) => 'text' in block);
  return needsText ? [...blocks, { text: 'See the document.' }] : blocks;
}

function userBlock(part: MediaPart): object {
  const data = part.data ?? dataOf(part, 'Converse');
  const block = mediaBlock({ ...part, data });
  if (block !== undefined) return block;
  throw unsupportedPart(
    `${part.type} of type "${part.mimeType}"`,
    'Converse',
    'Send PNG, JPEG, GIF, WebP, PDF or text.',
  );
}

function mediaBlock(part: MediaPart): object | undefined {
  if (part.data === undefined) return undefined;
  const source = { bytes: part.data };
  const image = part.type === 'image' ? IMAGES.get(part.mimeType) : undefined;
  if (image !== undefined) return { image: { format: image, source } };
  const format = part.type === 'file' ? DOCUMENTS.get(part.mimeType) : undefined;
  if (format === undefined) return undefined;
  return { document: { format, name: documentName(part), source } };
}
