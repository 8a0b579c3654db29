import type { JsonValue } from '@kernel/protocol';
import type { ClientCall, ClientCallDelta, ClientOutcome } from '../client-view/client-event-types.ts';
import type { UiMessageChunk } from './ui-message-chunk.ts';

export interface UiCallConverter {
  addDelta(delta: ClientCallDelta): readonly UiMessageChunk[];
  /** The reply is complete, and these are its calls. Those that had begun and are not among them never run. */
  endReply(calls: readonly ClientCall[]): readonly UiMessageChunk[];
  announce(call: ClientCall): readonly UiMessageChunk[];
  end(outcome: ClientOutcome): readonly UiMessageChunk[];
  /** The run ends, and calls wait for others that need a decision. They count as approved, so that the client waits for those others alone. */
  wait(): readonly UiMessageChunk[];
  withdraw(): void;
}

interface StreamedCall {
  name: string;
  id: string | undefined;
  text: string;
  hasBegun: boolean;
}

export function createUiCallConverter(): UiCallConverter {
  const announced = new Set<string>();
  const running = new Set<string>();
  const streamed = new Map<number, StreamedCall>();

  const announce = (call: ClientCall): readonly UiMessageChunk[] => {
    const { callId: toolCallId, name: toolName } = call;
    if (announced.has(toolCallId)) return [];
    announced.add(toolCallId);
    running.add(toolCallId);
    return [{ type: 'tool-input-available', toolCallId, toolName, input: inputOf(call) }];
  };

  return {
    announce,
    addDelta({ index, callId, name, arguments: text }) {
      const call = streamed.get(index) ?? { name: '', id: undefined, text: '', hasBegun: false };
      streamed.set(index, call);
      call.id ??= callId;
      call.name ||= name ?? '';
      call.text += text;
      if (call.id === undefined || call.name === '') return [];
      const chunks: UiMessageChunk[] = [];
      if (!call.hasBegun) chunks.push({ type: 'tool-input-start', toolCallId: call.id, toolName: call.name });
      if (call.text !== '') chunks.push({ type: 'tool-input-delta', toolCallId: call.id, inputTextDelta: call.text });
      call.hasBegun = true;
      call.text = '';
      return chunks;
    },
    endReply(calls) {
      const ids = new Set(calls.map(({ callId }) => callId));
      const dropped = [...streamed.values()].flatMap(({ id, name, hasBegun }): readonly UiMessageChunk[] => {
        if (!hasBegun || id === undefined || ids.has(id)) return [];
        const errorText = 'The call was cut off and did not run.';
        return [{ type: 'tool-input-error', toolCallId: id, toolName: name, input: {}, errorText }];
      });
      streamed.clear();
      return [...dropped, ...calls.flatMap(announce)];
    },
    end({ callId: toolCallId, status, result, error }) {
      if (!announced.has(toolCallId) || status === 'pending') return [];
      running.delete(toolCallId);
      if (status === 'denied') return [{ type: 'tool-output-denied', toolCallId }];
      if (error !== undefined) return [{ type: 'tool-output-error', toolCallId, errorText: error.message }];
      return [{ type: 'tool-output-available', toolCallId, output: result?.data ?? result?.text ?? null }];
    },
    wait() {
      return [...running].flatMap((toolCallId): readonly UiMessageChunk[] => [
        { type: 'tool-approval-request', toolCallId, approvalId: toolCallId, isAutomatic: true },
        { type: 'tool-approval-response', approvalId: toolCallId, approved: true },
      ]);
    },
    withdraw() {
      streamed.clear();
    },
  };
}

function inputOf({ arguments: text }: ClientCall): JsonValue {
  if (text === undefined) return {};
  try {
    // eslint-disable-next-line typescript/no-unsafe-type-assertion -- JSON.parse returns nothing else
    return JSON.parse(text) as JsonValue;
  } catch {
    return text;
  }
}
