import { type AssistantMessage, type JsonValue, type Message, textOf, toolCallsOf } from '@kernel/protocol';
import { createBodyBuffers } from './body-buffers.ts';
import { sizeOf } from './join-bytes.ts';
import { encodePart, toolText } from './content-parts.ts';
import { CALL_IDS, PLAIN_NAMES, toWireId, toWireName } from '../wire/names.ts';
import { unknownRole } from '../wire/alternating-messages.ts';
import type { ChatSettings } from './quirks.ts';

/** A body with messages in the middle. @internal */
export interface Body {
  readonly bytes: Uint8Array;
  /** The ids of all calls in the messages; absent where some message is not frozen. */
  readonly callIds: ReadonlySet<string> | undefined;
  /** Lets the encoder write the bytes anew: the request is over, and they are out. */
  readonly free: () => void;
}

/** Writes bodies around messages, each frozen message once. @internal */
export interface MessageEncoder {
  /** `before`, the messages with commas between them, and `after`. A conversation that goes on from the last one is not written anew. */
  readonly bodyOf: (before: readonly (string | Uint8Array)[], messages: readonly Message[], after: string) => Body;
}

/** A conversation as it was last written. */
interface Written {
  readonly messages: readonly Message[];
  /** Their texts with commas between, a part of the last body. */
  readonly bytes: Uint8Array;
  /** The ids of its calls. Grows with it. */
  readonly callIds: Set<string>;
}

/** Creates an encoder; `detail` goes to every image. A message that is not frozen may still change, so it is written anew each time. */
export function createMessageEncoder(settings: ChatSettings, detail: string | undefined): MessageEncoder {
  // For conversations that take turns, or have a beginning in common.
  const texts = new WeakMap<Message, string>();
  // The conversation that was written last. One alone: what weak tables hold survives until the next full collection.
  let last = nothing();
  const buffers = createBodyBuffers();

  const write = (message: Message): string => JSON.stringify(toWire(message, settings, detail));

  function writeOnce(message: Message): string {
    const known = texts.get(message);
    if (known !== undefined) return known;
    const text = write(message);
    if (Object.isFrozen(message)) texts.set(message, text);
    return text;
  }

  return {
    bodyOf(before, messages, after) {
      const goesOn = last.messages.length > 0 && beginsWith(messages, last.messages);
      const known = goesOn ? last : nothing();
      const added = messages.slice(known.messages.length);
      const written = added
        .map(goesOn ? write : writeOnce)
        .map((text, at) => (at === 0 && !goesOn ? text : `,${text}`));
      const open = added.findIndex((message) => !Object.isFrozen(message));
      const frozen = open === -1 ? written.length : open;
      const { bytes, free } = buffers.join([...before, known.bytes, ...written, after]);
      const from = sumOf(before);
      // What is frozen ends before what is not, which mostly is nothing: the sizes are not counted a second time.
      const to = bytes.length - sizeOf(after) - sumOf(written.slice(frozen));
      const { callIds } = known;
      for (const message of added.slice(0, frozen)) for (const { id } of toolCallsOf(message)) callIds.add(id);
      last = { messages: messages.slice(0, known.messages.length + frozen), bytes: bytes.subarray(from, to), callIds };
      return { bytes, callIds: open === -1 ? callIds : undefined, free };
    },
  };
}

function nothing(): Written {
  return { messages: [], bytes: new Uint8Array(), callIds: new Set() };
}

function sumOf(parts: readonly (string | Uint8Array)[]): number {
  return parts.reduce<number>((sum, part) => sum + sizeOf(part), 0);
}

function beginsWith(messages: readonly Message[], beginning: readonly Message[]): boolean {
  if (messages.length < beginning.length) return false;
  for (let at = 0; at < beginning.length; at += 1) if (messages[at] !== beginning[at]) return false;
  return true;
}

function toWire(message: Message, settings: ChatSettings, detail: string | undefined): object {
  switch (message.role) {
    case 'system':
      return { role: 'system', content: message.content };
    case 'user':
      return { role: 'user', content: userContent(message.content, detail) };
    case 'assistant':
      return assistant(message, settings);
    case 'tool':
      return {
        role: 'tool',
        tool_call_id: toWireId(message.toolCallId, CALL_IDS[settings.callIds]),
        content: toolText(message.content, message.isError === true),
      };
    default:
      throw unknownRole(message);
  }
}

function userContent(content: Extract<Message, { role: 'user' }>['content'], detail: string | undefined): unknown {
  return typeof content === 'string' ? content : content.map((part) => encodePart(part, detail));
}

function assistant(message: AssistantMessage, settings: ChatSettings): object {
  const ours = message.provider?.vendor === settings.name;
  const calls = toolCallsOf(message);
  const text = textOf(message);
  const reasoning = ours && settings.reasoningField !== undefined ? reasoningOf(message) : '';
  return {
    role: 'assistant',
    content: text === '' && calls.length > 0 ? null : text,
    ...(ours && settings.reasoningDetails ? detailsOf(message) : {}),
    ...(reasoning === '' ? {} : { [settings.reasoningField ?? 'reasoning']: reasoning }),
    ...(calls.length === 0
      ? {}
      : {
          tool_calls: calls.map((call) => ({
            id: toWireId(call.id, CALL_IDS[settings.callIds]),
            type: 'function',
            function: { name: toWireName(call.name, PLAIN_NAMES), arguments: call.arguments },
            ...(ours && call.providerData !== undefined ? { extra_content: call.providerData } : {}),
          })),
        }),
  };
}

function detailsOf(message: AssistantMessage): { reasoning_details?: JsonValue } {
  const found = message.content.find((part) => part.type === 'reasoning' && Array.isArray(part.providerData));
  return found?.type === 'reasoning' && found.providerData !== undefined
    ? { reasoning_details: found.providerData }
    : {};
}

function reasoningOf(message: AssistantMessage): string {
  let text = '';
  for (const part of message.content) if (part.type === 'reasoning') text += part.text;
  return text;
}
