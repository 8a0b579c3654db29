import { toJsonText } from '@kernel/internal';
import {
  type AssistantMessage,
  type JsonValue,
  type Message,
  toolCallsOf,
  type MediaPart,
  type TextPart,
} from '@kernel/protocol';
import { textForVendor } from '../wire/server-tools/parts-for-vendor.ts';
import { unknownRoleError } from '../wire/check-request.ts';
import { argumentsText } from '../wire/arguments.ts';
import { opaqueData, dataOf, markError, textOrNote, unsupportedPart, urlOf } from '../wire/media.ts';
import { CALL_ID_RULES, TOOL_NAME, toWireId, toWireName } from '../wire/names.ts';
import type { ChatSettings } from './config.ts';
import { hasRecording, recordingOf } from './audio.ts';
import { markEnd } from './prompt-cache.ts';
import { isOpaqueCallKind } from './reply/call-reader.ts';
import { cachePerMessage } from '../wire/message-cache.ts';
import { sizeOf, createBodyBuffers } from '../http/join-bytes.ts';
import { type Renamings, withWireNames } from '../schema-dialects/property-names.ts';
import type { VendorLimits } from '../vendor-rules/rules.ts';

interface EncodedPrefix {
  readonly messages: readonly Message[];
  /** The messages as JSON, separated by commas. This is a view of the previous body. */
  readonly bytes: Uint8Array;
}

const EMPTY: EncodedPrefix = { messages: [], bytes: new Uint8Array() };

/** `detail` applies to every image. */
export function createMessageEncoder(
  settings: ChatSettings,
  detail: string | undefined,
  limits: VendorLimits = {},
  renamings: Renamings = new Map(),
) {
  // The previous conversation only: what weak tables hold survives until the next full collection.
  let previous = EMPTY;
  const buffers = createBodyBuffers();

  const encode = (message: Message): string =>
    toJsonText(
      markEnd(message, toChatMessage(withWireNames(message, renamings), settings, detail, limits), 'content', 'text'),
    );

  // Conversations that alternate or share a beginning reuse what was encoded.
  const encodeOnce = cachePerMessage(encode, isConstant);

  return {
    /** A conversation that continues the previous one is only appended to. */
    bodyOf(before: Uint8Array, messages: readonly Message[], after: string) {
      const continues = previous.messages.length > 0 && startsWith(messages, previous.messages);
      const prefix = continues ? previous : EMPTY;
      const added = messages.slice(prefix.messages.length);
      const encoded = added.map(continues ? encode : encodeOnce);
      const firstUnfrozen = added.findIndex((message) => !isConstant(message));
      const frozenCount = firstUnfrozen === -1 ? encoded.length : firstUnfrozen;
      const frozen = joinJson(encoded.slice(0, frozenCount), continues);
      const rest = joinJson(encoded.slice(frozenCount), continues || frozenCount > 0) + after;
      const { bytes, free } = buffers.join([before, prefix.bytes, frozen, rest]);
      const end = bytes.length - sizeOf(rest);
      previous = {
        messages: messages.slice(0, prefix.messages.length + frozenCount),
        bytes: bytes.subarray(before.length, end),
      };
      return { bytes, free };
    },
  };
}

export type MessageEncoder = ReturnType<typeof createMessageEncoder>;

/** A recording that a message refers to expires. */
function isConstant(message: Message): boolean {
  return Object.isFrozen(message) && !(message.role === 'assistant' && hasRecording(message));
}

/** The elements of a list as JSON has them, with a comma before the first if others precede it. */
function joinJson(texts: readonly string[], hasBefore: boolean): string {
  return texts.length === 0 ? '' : `${hasBefore ? ',' : ''}${texts.join(',')}`;
}

function startsWith(messages: readonly Message[], beginning: readonly Message[]): boolean {
  if (messages.length < beginning.length) return false;
  for (let at = 0; at < beginning.length; at += 1) if (messages[at] !== beginning[at]) return false;
  return true;
}

function toChatMessage(
  message: Message,
  settings: ChatSettings,
  detail: string | undefined,
  limits: VendorLimits,
): object {
  switch (message.role) {
    case 'system':
      return { role: 'system', content: message.content };
    case 'user': {
      const { content } = message;
      return {
        role: 'user',
        content: typeof content === 'string' ? content : content.map((part) => encodePart(part, detail)),
      };
    }
    case 'assistant':
      return assistantMessage(message, settings, limits);
    case 'tool':
      return {
        role: 'tool',
        tool_call_id: toWireId(message.toolCallId, CALL_ID_RULES[settings.callIds]),
        content: resultText(message.content, message.isError === true),
      };
    default:
      throw unknownRoleError(message);
  }
}

/** Stands for what another vendor's model thought, and for what a model of its own did not say. */
const NO_REASONING = '(not recorded)';

function assistantMessage(message: AssistantMessage, settings: ChatSettings, limits: VendorLimits): object {
  const { callIds, reasoningDetails } = settings;
  const { emptyReply, foreignSignature, reasoningContent } = limits;
  const reasoningField =
    settings.reasoningField === 'none' && reasoningContent !== undefined
      ? 'reasoning_content'
      : settings.reasoningField;
  const isOwn = message.provider?.vendor === settings.name;
  const calls = toolCallsOf(message);
  const opaqueCalls = isOwn ? message.content.flatMap(opaqueCall) : [];
  const hasCalls = calls.length > 0 || opaqueCalls.length > 0;
  const recording = isOwn ? recordingOf(message) : undefined;
  const text = textForVendor(recording?.rest ?? message, settings.name);
  const needsReasoning = reasoningContent === 'all' || (reasoningContent === 'with-calls' && hasCalls);
  const reasoning =
    (isOwn && reasoningField !== 'none' ? reasoningOf(message) : '') || (needsReasoning ? NO_REASONING : '');
  const isEmpty = text.trim() === '' && !hasCalls && recording === undefined;
  return {
    role: 'assistant',
    content:
      isEmpty && emptyReply === 'refused'
        ? '(no answer)'
        : text === '' && (hasCalls || recording !== undefined)
          ? null
          : text,
    ...(recording === undefined ? {} : { audio: { id: recording.id } }),
    ...(isOwn && reasoningDetails ? reasoningDetailsOf(message) : {}),
    ...(reasoning === '' ? {} : { [reasoningField]: reasoning }),
    ...(hasCalls
      ? {
          tool_calls: [
            ...calls.map((call, at) => ({
              id: toWireId(call.id, CALL_ID_RULES[callIds]),
              type: 'function',
              function: { name: toWireName(call.name, TOOL_NAME), arguments: argumentsText(call) },
              ...extraOf(isOwn ? call.providerData : undefined, at === 0 ? foreignSignature : undefined),
            })),
            ...opaqueCalls,
          ],
        }
      : {}),
  };
}

/**
 * What only the vendor understands of a call, or the signature that its endpoint for Chat Completions wants on the
 * first one.
 */
function extraOf(data: JsonValue | undefined, signature: string | undefined): object {
  if (data !== undefined) return { extra_content: data };
  return signature === undefined ? {} : { extra_content: { google: { thought_signature: signature } } };
}

function opaqueCall(part: AssistantMessage['content'][number]): readonly object[] {
  return part.type === 'opaque' && isOpaqueCallKind(part.kind) ? opaqueData(part) : [];
}

function reasoningDetailsOf(message: AssistantMessage): { reasoning_details?: JsonValue } {
  const part = message.content.find((each) => each.type === 'reasoning' && Array.isArray(each.providerData));
  return part?.type === 'reasoning' && part.providerData !== undefined ? { reasoning_details: part.providerData } : {};
}

function reasoningOf(message: AssistantMessage): string {
  let text = '';
  for (const part of message.content) if (part.type === 'reasoning') text += part.text;
  return text;
}

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
