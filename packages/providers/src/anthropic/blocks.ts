import { decodeUtf8, fromBase64 } from '@kernel/internal';
import type {
  AssistantMessage,
  JsonValue,
  MediaPart,
  Message,
  TextPart,
  ToolMessage,
  OpaquePart,
} from '@kernel/protocol';
import { argumentsObject } from '../wire/arguments.ts';
import { asFields, asText } from '../json-fields.ts';
import { opaqueData, textOrNote, unsupportedPart } from '../wire/media.ts';
import { partsForVendor } from '../wire/server-tools/parts-for-vendor.ts';
import { CALL_ID_RULES, TOOL_NAME, toWireId, toWireName } from '../wire/names.ts';
import { opaquePart } from '../wire/message-parts.ts';

const REASONING: ReadonlySet<unknown> = new Set(['thinking', 'redacted_thinking']);

/** Reasoning and opaque parts are sent back only to the `vendor` that produced them. */
export function toBlocks(message: Message, vendor: string, unsigned = false): readonly object[] {
  switch (message.role) {
    case 'system':
      return [];
    case 'user':
      return contentBlocks(message.content, toUserBlock);
    case 'assistant':
      return assistantBlocks(message, vendor, unsigned);
    case 'tool':
      return [resultBlock(message)];
    default:
      return [];
  }
}

function assistantBlocks(message: AssistantMessage, vendor: string, unsigned: boolean): readonly object[] {
  const isOwn = message.provider?.vendor === vendor;
  const blocks = partsForVendor(message, vendor).flatMap((part): readonly object[] => {
    if (part.type === 'text') {
      const citations = asFields(part.providerData)?.['citations'];
      const cited = citations === undefined ? {} : { citations };
      // The API refuses blank text, but for its own with citations.
      const isLeftOut = part.text.trim() === '' && citations === undefined;
      return isLeftOut ? [] : [{ type: 'text', text: part.text, ...cited }];
    }
    if (part.type === 'reasoning') return isOwn ? reasoningBlock(part.text, part.providerData, unsigned) : [];
    if (part.type === 'opaque') return isOwn && part.kind !== CONTAINER ? opaqueData(part) : [];
    const id = toWireId(part.id, CALL_ID_RULES.word);
    const caller = isOwn ? asFields(part.providerData)?.['caller'] : undefined;
    const call = { id, name: toWireName(part.name, TOOL_NAME), input: argumentsObject(part) };
    return [{ type: 'tool_use', ...call, ...(caller === undefined ? {} : { caller }) }];
  });
  if (unsigned && blocks.some(isCallBlock) && !blocks.some(isThinking))
    return [{ type: 'thinking', thinking: '(not recorded)', signature: '' }, ...blocks];
  // A message of reasoning only is refused.
  return blocks.every(isThinking) ? [] : blocks;
}

function isThinking(block: object): boolean {
  return 'type' in block && REASONING.has(block.type);
}

function isCallBlock(block: object): boolean {
  return 'type' in block && block.type === 'tool_use';
}

/** `unsigned`: the server signs nothing, and wants the thoughts back as they are. */
function reasoningBlock(text: string, providerData: JsonValue | undefined, unsigned: boolean): readonly object[] {
  const data = asFields(providerData);
  const redacted = asText(data?.['redacted']);
  if (redacted !== undefined) return [{ type: 'redacted_thinking', data: redacted }];
  const signature = asText(data?.['signature']) ?? (unsigned && text !== '' ? '' : undefined);
  return signature === undefined ? [] : [{ type: 'thinking', thinking: text, signature }];
}

function resultBlock(message: ToolMessage): object {
  const { content } = message;
  const blocks = contentBlocks(content, toResultBlock);
  return {
    type: 'tool_result',
    tool_use_id: toWireId(message.toolCallId, CALL_ID_RULES.word),
    ...(typeof content === 'string' && content !== '' ? { content } : blocks.length === 0 ? {} : { content: blocks }),
    ...(message.isError === true ? { is_error: true } : {}),
  };
}

function contentBlocks(
  content: string | readonly (TextPart | MediaPart)[],
  encode: (part: TextPart | MediaPart) => object,
): readonly object[] {
  const parts = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content;
  // The API refuses empty text.
  return parts.filter((part) => part.type !== 'text' || part.text.trim() !== '').map(encode);
}

function toUserBlock(part: TextPart | MediaPart): object {
  if (part.type === 'text') return { type: 'text', text: part.text };
  const block = mediaBlock(part);
  if (block !== undefined) return block;
  throw unsupportedPart(`${part.type} of type "${part.mimeType}"`, 'Messages', 'Send an image, a PDF or plain text.');
}

function toResultBlock(part: TextPart | MediaPart): object {
  if (part.type === 'text') return { type: 'text', text: part.text };
  return mediaBlock(part) ?? { type: 'text', text: textOrNote(part) };
}

function sourceOf({ data = '', id, mimeType, url }: MediaPart): object {
  if (id !== undefined) return { type: 'file', file_id: id };
  return url === undefined ? { type: 'base64', media_type: mimeType, data } : { type: 'url', url };
}

function mediaBlock(part: MediaPart): object | undefined {
  const source = sourceOf(part);
  if (part.type === 'image') return { type: 'image', source };
  if (part.type !== 'file') return undefined;
  const title = part.name === undefined ? {} : { title: part.name };
  if (part.mimeType === 'application/pdf' || part.id !== undefined) return { type: 'document', source, ...title };
  if (!part.mimeType.startsWith('text/') || part.data === undefined) return undefined;
  const data = decodeUtf8(fromBase64(part.data));
  return { type: 'document', source: { type: 'text', media_type: 'text/plain', data }, ...title };
}

/** A container is not a content block: its id goes into a field of the request. */
export const CONTAINER = 'container';

/** https://docs.claude.com/en/docs/agents-and-tools/tool-use/code-execution-tool */
export function containerPart(value: unknown): OpaquePart | undefined {
  const id = asText(asFields(value)?.['id']);
  return id === undefined || id === '' ? undefined : opaquePart(CONTAINER, value);
}

/** The configured container with the id of the last one in the history, so that its files and variables are kept. The vendor refuses an expired one. */
export function containerField(configured: unknown, messages: readonly Message[], vendor: string): unknown {
  const own = asFields(configured);
  if ((configured !== undefined && own === undefined) || own?.['id'] !== undefined) return configured;
  const id = liveContainer(messages, vendor);
  if (id === undefined || own === undefined) return id ?? configured;
  return { ...own, id };
}

function liveContainer(messages: readonly Message[], vendor: string): string | undefined {
  const parts = messages.flatMap((message) =>
    message.role === 'assistant' && message.provider?.vendor === vendor
      ? message.content.filter((part) => part.type === 'opaque' && part.kind === CONTAINER)
      : [],
  );
  const last = parts.at(-1);
  const container = last?.type === 'opaque' ? asFields(last.providerData) : undefined;
  const expiry = Date.parse(asText(container?.['expires_at']) ?? '');
  return expiry <= Date.now() ? undefined : asText(container?.['id']);
}
