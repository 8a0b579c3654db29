import type { JsonValue } from '@kernel/protocol';
import type { ClientCall, ClientCallDelta, ClientCallResult } from '../client-view/client-event-types.ts';
import type { UiMessageChunk } from './ui-message-chunk.ts';

interface StreamedCall {
  name: string;
  id: string | undefined;
  text: string;
  hasBegun: boolean;
}

export function createUiCallConverter() {
  const announced = new Set<string>();
  const running = new Set<string>();
  const streamed = new Map<number, StreamedCall>();

  const announce = (call: ClientCall): readonly UiMessageChunk[] => {
    const { callId: toolCallId, name: toolName } = call;
    if (announced.has(toolCallId)) return [];
    announced.add(toolCallId);
    running.add(toolCallId);
    return [{ type: 'tool-input-available', toolCallId, toolName, input: parseInput(call.arguments ?? '{}') }];
  };

  return {
    announce,
    addDelta({ index, callId, name, arguments: text }: ClientCallDelta): readonly UiMessageChunk[] {
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
    /** Calls that had begun and are not among these never run. */
    endReply(calls: readonly ClientCall[]): readonly UiMessageChunk[] {
      const ids = new Set(calls.map(({ callId }) => callId));
      const dropped = [...streamed.values()].flatMap(({ id, name, hasBegun }): readonly UiMessageChunk[] => {
        if (!hasBegun || id === undefined || ids.has(id)) return [];
        const errorText = 'The call was cut off and did not run.';
        return [{ type: 'tool-input-error', toolCallId: id, toolName: name, input: {}, errorText }];
      });
      streamed.clear();
      return [...dropped, ...calls.flatMap(announce)];
    },
    end({ callId: toolCallId, status, result, error }: ClientCallResult): readonly UiMessageChunk[] {
      if (!announced.has(toolCallId) || status === 'pending') return [];
      running.delete(toolCallId);
      if (status === 'denied') return [{ type: 'tool-output-denied', toolCallId }];
      if (error !== undefined) return [{ type: 'tool-output-error', toolCallId, errorText: error.message }];
      return [{ type: 'tool-output-available', toolCallId, output: result?.data ?? result?.text ?? null }];
    },
    /** Calls that wait for others which need a decision count as approved, so that the client waits for those others alone. */
    wait(): readonly UiMessageChunk[] {
      return [...running].flatMap((toolCallId): readonly UiMessageChunk[] => [
        { type: 'tool-approval-request', toolCallId, approvalId: toolCallId, isAutomatic: true },
        { type: 'tool-approval-response', approvalId: toolCallId, approved: true },
      ]);
    },
    withdraw: (): void => streamed.clear(),
  };
}

export function parseInput(text: string): JsonValue {
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- JSON.parse returns nothing else
    return JSON.parse(text) as JsonValue;
  } catch {
    return text;
  }
}
