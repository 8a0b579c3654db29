import {
  type AssistantMessage,
  type DroppedCall,
  dropsCalls,
  type MessageEnd,
  type ProviderEvent,
  type ProviderRequest,
  type TextPart,
  type ToolCall,
  type ToolCallDelta,
  toolCallsOf,
} from '@kernel/protocol';
import { compactJson } from '../json-fields.ts';
import type { TextFormat } from './format.ts';
import { createScanner } from './scanner.ts';

type SegmentPart = TextPart | ToolCall;

// Text that is not a call is emitted at once, a call when it is complete. The calls of a reply that was cut off are in `droppedCalls`. In a reply that
// also has native calls, text after the first of them stays text, and a text call that repeats a native one is left out.
export async function* readCalls(
  events: AsyncIterable<ProviderEvent>,
  request: Pick<ProviderRequest, 'tools'>,
  format: Pick<TextFormat, 'parsers' | 'layout'>,
): AsyncGenerator<ProviderEvent, void> {
  const tools = new Map((request.tools ?? []).map((tool) => [tool.name, tool]));
  const ready: ProviderEvent[] = [];
  let segment: SegmentPart[] = [];
  const segments: (readonly SegmentPart[])[] = [];
  const renamedIds = new Map<string, string>();
  let textCallCount = 0;
  let nativeCount = 0;
  let lastId = 0;

  const scan = () =>
    createScanner(format, tools, {
      text(text) {
        ready.push({ type: 'text-delta', text });
        const last = segment.at(-1);
        if (last?.type === 'text') segment[segment.length - 1] = { type: 'text', text: last.text + text };
        else segment.push({ type: 'text', text });
      },
      call(printed) {
        const call: ToolCall = Object.freeze({ type: 'tool-call', id: nextId(), ...printed });
        segment.push(call);
        ready.push({
          type: 'tool-call-delta',
          index: textCallCount,
          id: call.id,
          name: call.name,
          arguments: call.arguments,
        });
        textCallCount += 1;
      },
    });

  let scanner = scan();

  function startAgain(): void {
    segment = [];
    segments.length = 0;
    renamedIds.clear();
    textCallCount = 0;
    nativeCount = 0;
    lastId = 0;
    scanner = scan();
  }

  function nextId(): string {
    lastId += 1;
    return `text_${lastId}`;
  }

  /** A native call that follows a text call may have its id, as from a wrapper inside. */
  function rename(event: ToolCallDelta): ToolCallDelta {
    const { id } = event;
    const number = Number(/^text_(\d+)$/.exec(id ?? '')?.[1]);
    if (id === undefined || !(number <= lastId)) return event;
    const renamed = renamedIds.get(id) ?? nextId();
    renamedIds.set(id, renamed);
    return { ...event, id: renamed };
  }

  function closeSegment(): void {
    scanner.end();
    if (segment.length > 0) segments.push(segment);
    segment = [];
  }

  for await (const event of events) {
    if (event.type === 'text-delta' && nativeCount === 0) scanner.push(event.text);
    else if (event.type === 'reply-withdrawn') {
      startAgain();
      ready.splice(0, ready.length, event);
    } else if (event.type === 'text-delta') {
      segment.push({ type: 'text', text: event.text });
      ready.push(event);
    } else {
      // Any other event separates texts: markup never spans it.
      closeSegment();
      if (event.type === 'message-end') ready.push(endOf(withIds(event, renamedIds), segments));
      else if (event.type === 'tool-call-delta') {
        nativeCount = Math.max(nativeCount, event.index + 1);
        ready.push({ ...rename(event), index: event.index + textCallCount });
      } else ready.push(event);
    }
    yield* ready.splice(0);
  }
}

function withIds(end: MessageEnd, ids: ReadonlyMap<string, string>): MessageEnd {
  if (ids.size === 0) return end;
  const rename = <T extends { readonly id: string }>(call: T): T =>
    ids.has(call.id) ? Object.freeze({ ...call, id: ids.get(call.id) ?? call.id }) : call;
  const content = Object.freeze(end.message.content.map((part) => (part.type === 'tool-call' ? rename(part) : part)));
  return {
    ...end,
    message: Object.freeze({ ...end.message, content }),
    ...(end.droppedCalls === undefined ? {} : { droppedCalls: end.droppedCalls.map(rename) }),
  };
}

function endOf(end: MessageEnd, segments: readonly (readonly SegmentPart[])[]): MessageEnd {
  const nativeCalls = new Set(toolCallsOf(end.message).map(comparable));
  const isRepeat = (part: SegmentPart): boolean =>
    part.type === 'tool-call' && nativeCalls.size > 0 && nativeCalls.has(comparable(part));
  const parts = segments.map((segment) => segment.filter((part) => !isRepeat(part)));
  const printed = parts.flat().filter((part) => part.type === 'tool-call');
  if (printed.length === 0 && segments.flat().every((part) => part.type === 'text')) return end;

  const isCutOff = dropsCalls(end.finishReason);
  const kept = isCutOff ? parts.map((segment) => segment.filter((part) => part.type === 'text')) : parts;
  const content = Object.freeze(replaceTexts(end.message.content, kept));
  const dropped: readonly DroppedCall[] = isCutOff
    ? printed.map(({ id, name, arguments: text }) => ({ id, name, arguments: text, reason: end.finishReason }))
    : [];
  const droppedCalls = [...dropped, ...(end.droppedCalls ?? [])];
  return {
    ...end,
    message: Object.freeze({ ...end.message, content }),
    ...(!isCutOff && printed.length > 0 && end.finishReason === 'stop' ? { finishReason: 'tool-calls' } : {}),
    ...(droppedCalls.length === 0 ? {} : { droppedCalls }),
  };
}

/** Calls are equal if they differ only in white space of their arguments. */
function comparable({ name, arguments: text }: ToolCall): string {
  return JSON.stringify([name, compactJson(text)]);
}

function replaceTexts(
  content: AssistantMessage['content'],
  segments: readonly (readonly SegmentPart[])[],
): AssistantMessage['content'] {
  const remaining = [...segments];
  const replaced = content.flatMap((part): AssistantMessage['content'] =>
    part.type === 'text' ? (remaining.shift() ?? []) : [part],
  );
  return [...replaced, ...remaining.flat()];
}
