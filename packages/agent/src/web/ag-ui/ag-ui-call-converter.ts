import { flatCallId } from '../approval/approval-id.ts';
import type { ClientCall, ClientCallDelta, ClientCallResult } from '../client-view/client-event-types.ts';
import type { AgUiAgentEvent } from './ag-ui-event.ts';

interface StreamedCall {
  id: string | undefined;
  name: string;
  text: string;
  hasBegun: boolean;
}

export interface AgUiIdScope {
  readonly messagePrefix: string;
  readonly path: readonly string[];
}

export function createAgUiCallConverter({ messagePrefix, path }: AgUiIdScope) {
  const idOf = (callId: string): string => flatCallId(path, callId);
  const announced = new Set<string>();
  const streamed = new Map<number, StreamedCall>();
  let results = 0;

  const resultOf = (toolCallId: string, content: string): AgUiAgentEvent => {
    results += 1;
    return {
      type: 'TOOL_CALL_RESULT',
      messageId: `${messagePrefix}result-${results}`,
      toolCallId,
      content,
      role: 'tool',
    };
  };
  const announce = (
    { callId, name, arguments: text = '' }: ClientCall,
    messageId?: string,
  ): readonly AgUiAgentEvent[] => {
    const toolCallId = idOf(callId);
    if (announced.has(toolCallId)) return [];
    announced.add(toolCallId);
    const events: AgUiAgentEvent[] = [begin(toolCallId, name, messageId)];
    if (text !== '') events.push({ type: 'TOOL_CALL_ARGS', toolCallId, delta: text });
    return [...events, { type: 'TOOL_CALL_END', toolCallId }];
  };

  return {
    announce,
    isAnnounced: (toolCallId: string): boolean => announced.has(toolCallId),
    addDelta({ index, callId, name, arguments: text }: ClientCallDelta, messageId: string): readonly AgUiAgentEvent[] {
      const call = streamed.get(index) ?? { id: undefined, name: '', text: '', hasBegun: false };
      streamed.set(index, call);
      call.id ??= callId === undefined ? undefined : idOf(callId);
      call.name ||= name ?? '';
      call.text += text;
      if (call.id === undefined || call.name === '' || announced.has(call.id)) return [];
      const events: AgUiAgentEvent[] = call.hasBegun ? [] : [begin(call.id, call.name, messageId)];
      if (call.text !== '') events.push({ type: 'TOOL_CALL_ARGS', toolCallId: call.id, delta: call.text });
      call.hasBegun = true;
      call.text = '';
      return events;
    },
    /** Calls that had begun and are not among these never run: they get a result that says so. */
    endReply(calls: readonly ClientCall[], messageId: string): readonly AgUiAgentEvent[] {
      const ids = new Set(calls.map(({ callId }) => idOf(callId)));
      const ended = [...streamed.values()].flatMap(({ id, hasBegun }): readonly AgUiAgentEvent[] => {
        if (!hasBegun || id === undefined) return [];
        announced.add(id);
        const end = { type: 'TOOL_CALL_END', toolCallId: id } as const;
        return ids.has(id) ? [end] : [end, resultOf(id, 'The call was cut off and did not run.')];
      });
      streamed.clear();
      return [...ended, ...calls.flatMap((call) => announce(call, messageId))];
    },
    end({ callId, status, result, error }: ClientCallResult): readonly AgUiAgentEvent[] {
      if (status === 'pending') return [];
      return [resultOf(idOf(callId), error?.message ?? result?.text ?? status)];
    },
  };
}

function begin(toolCallId: string, toolCallName: string, messageId?: string): AgUiAgentEvent {
  return {
    type: 'TOOL_CALL_START',
    toolCallId,
    toolCallName,
    ...(messageId === undefined ? {} : { parentMessageId: messageId }),
  };
}
