import {
  type DroppedCall,
  type MessageEnd,
  type ProviderEvent,
  type ProviderRequest,
  type ReasoningPart,
  type TextPart,
  type ToolCall,
  toolCallsOf,
} from '@kernel/protocol';
import type { TextFormat } from './format.ts';
import { createScanner } from './scanner.ts';

type Part = TextPart | ToolCall;

/** Finishes that leave a reply incomplete: its calls must not run. */
const CUT: ReadonlySet<string> = new Set(['length', 'filter', 'refusal']);

/**
 * Reads the calls out of a reply's text while it comes in. Text that is no call passes at once; each call is told when it is
 * whole. A call of a cut reply stands in `droppedCalls`; from a reply that also has native calls, text behind the first of
 * them stays text, and a printed call that repeats one is left out.
 */
export async function* readCalls(
  events: AsyncIterable<ProviderEvent>,
  request: Pick<ProviderRequest, 'tools' | 'messages'>,
  format: Pick<TextFormat, 'readers' | 'layout'>,
): AsyncGenerator<ProviderEvent, void> {
  const tools = new Map((request.tools ?? []).map((tool) => [tool.name, tool]));
  const ready: ProviderEvent[] = [];
  let segment: Part[] = [];
  const segments: (readonly Part[])[] = [];
  const nextId = createIds(request);
  let count = 0;
  let native = 0;

  const scanner = createScanner(format, tools, {
    text(text) {
      ready.push({ type: 'text-delta', text });
      const last = segment.at(-1);
      if (last?.type === 'text') segment[segment.length - 1] = { type: 'text', text: last.text + text };
      else segment.push({ type: 'text', text });
    },
    call(printed) {
      const call: ToolCall = Object.freeze({ type: 'tool-call', id: nextId(), ...printed });
      segment.push(call);
      ready.push({ type: 'tool-call-delta', index: count, id: call.id, name: call.name, arguments: call.arguments });
      count += 1;
    },
  });

  function closeSegment(): void {
    scanner.end();
    if (segment.length > 0) segments.push(segment);
    segment = [];
  }

  for await (const event of events) {
    if (event.type === 'text-delta' && native === 0) scanner.push(event.text);
    else if (event.type === 'text-delta') {
      segment.push({ type: 'text', text: event.text });
      ready.push(event);
    } else {
      // What comes between texts divides them: markup never reaches over it.
      closeSegment();
      if (event.type === 'message-end') ready.push(endOf(event, segments));
      else if (event.type === 'tool-call-delta') {
        native = Math.max(native, event.index + 1);
        ready.push({ ...event, index: event.index + count });
      } else ready.push(event);
    }
    yield* ready.splice(0);
  }
}

function endOf(end: MessageEnd, segments: readonly (readonly Part[])[]): MessageEnd {
  const native = toolCallsOf(end.message);
  const isRepeat = (part: Part): boolean =>
    part.type === 'tool-call' &&
    native.some((call) => call.name === part.name && sameJson(call.arguments, part.arguments));
  const parts = segments.map((segment) => segment.filter((part) => !isRepeat(part)));
  const printed = parts.flat().filter((part) => part.type === 'tool-call');
  if (printed.length === 0 && segments.flat().every((part) => part.type === 'text')) return end;

  const cut = CUT.has(end.finishReason);
  const kept = cut ? parts.map((segment) => segment.filter((part) => part.type === 'text')) : parts;
  const content = Object.freeze(place(end.message.content, kept));
  const dropped: readonly DroppedCall[] = cut
    ? printed.map(({ id, name, arguments: text }) => ({ id, name, arguments: text, reason: end.finishReason }))
    : [];
  const droppedCalls = [...dropped, ...(end.droppedCalls ?? [])];
  return {
    ...end,
    message: Object.freeze({ ...end.message, content }),
    ...(!cut && printed.length > 0 && end.finishReason === 'stop' ? { finishReason: 'tool-calls' } : {}),
    ...(droppedCalls.length === 0 ? {} : { droppedCalls }),
  };
}

/** The content of a message with its texts replaced by what was read out of them, in order. */
function place(
  content: readonly (TextPart | ReasoningPart | ToolCall)[],
  segments: readonly (readonly Part[])[],
): readonly (TextPart | ReasoningPart | ToolCall)[] {
  const left = [...segments];
  const placed = content.flatMap((part): readonly (TextPart | ReasoningPart | ToolCall)[] =>
    part.type === 'text' ? (left.shift() ?? []) : [part],
  );
  return [...placed, ...left.flat()];
}

/** Ids that no call of the history has, the same for the same history. */
function createIds({ messages }: Pick<ProviderRequest, 'messages'>): () => string {
  let used: Set<string> | undefined;
  let next = 0;
  return () => {
    used ??= new Set(messages.flatMap((message) => toolCallsOf(message).map(({ id }) => id)));
    do next += 1;
    while (used.has(`text_${next}`));
    return `text_${next}`;
  };
}

function sameJson(a: string, b: string): boolean {
  if (a === b) return true;
  try {
    return JSON.stringify(JSON.parse(a)) === JSON.stringify(JSON.parse(b));
  } catch {
    return false;
  }
}
