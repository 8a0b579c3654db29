import type { ClientEvent, ClientRunEnd } from '../client-view/client-event-types.ts';
import { flatCallId, toApprovalId } from '../approval/approval-id.ts';
import { createUiCallConverter } from './ui-call-converter.ts';
import { createUiServerToolConverter } from './ui-server-tool-converter.ts';
import type { UiFinishReason, UiMessageChunk } from './ui-message-chunk.ts';

/** Returns the chunks for an event. For the events of one message, in order. */
export type UiMessageConverter = (event: ClientEvent) => readonly UiMessageChunk[];

export function createUiMessageConverter(messageId: string | undefined): UiMessageConverter {
  const calls = createUiCallConverter();
  const serverTools = createUiServerToolConverter();
  let hasStarted = false;
  let isInStep = false;
  let open: { readonly kind: 'text' | 'reasoning'; readonly id: string } | undefined;
  let parts = 0;

  function close(): readonly UiMessageChunk[] {
    if (open === undefined) return [];
    const { kind, id } = open;
    open = undefined;
    return [{ type: `${kind}-end`, id }];
  }

  function addText(kind: 'text' | 'reasoning', delta: string): readonly UiMessageChunk[] {
    if (delta === '') return [];
    if (open?.kind === kind) return [{ type: `${kind}-delta`, id: open.id, delta }];
    const closed = close();
    const id = `${kind}-${(parts += 1)}`;
    open = { kind, id };
    return [...closed, { type: `${kind}-start`, id }, { type: `${kind}-delta`, id, delta }];
  }

  function setStep(isOpen: boolean): readonly UiMessageChunk[] {
    const chunks: UiMessageChunk[] = [...close()];
    if (isInStep) chunks.push({ type: 'finish-step' });
    if (isOpen) chunks.push({ type: 'start-step' });
    isInStep = isOpen;
    return chunks;
  }

  function endRun(end: ClientRunEnd): readonly UiMessageChunk[] {
    const { reason, usage, pending = [], error, output } = end;
    const chunks: UiMessageChunk[] = [...close(), ...calls.endReply([])];
    if (output !== undefined) chunks.push(toOutput(output));
    if (reason === 'approval') chunks.push(...calls.wait());
    for (const call of pending) {
      const toolCallId = flatCallId(call.path, call.callId);
      chunks.push(...calls.announce({ ...call, callId: toolCallId }));
      chunks.push({ type: 'tool-approval-request', toolCallId, approvalId: toApprovalId(call) });
    }
    chunks.push(...setStep(false));
    if (reason === 'aborted') return [...chunks, { type: 'abort' }];
    if (error !== undefined) chunks.push({ type: 'error', errorText: error.message });
    const messageMetadata = usage && { usage };
    return [...chunks, { type: 'finish', finishReason: FINISH[reason], ...(messageMetadata && { messageMetadata }) }];
  }

  function toChunks(event: ClientEvent): readonly UiMessageChunk[] {
    switch (event.type) {
      case 'turn-start':
        return setStep(true);
      case 'turn-end':
        return setStep(false);
      case 'text-delta':
        return addText('text', event.text);
      case 'reasoning-delta':
        return addText('reasoning', event.text);
      case 'server-tool-call':
        return [...close(), ...serverTools.begin(event)];
      case 'server-tool-result':
        return serverTools.end(event);
      case 'citation':
        return serverTools.cite(event.citation);
      case 'tool-call-delta':
        return [...close(), ...calls.addDelta(event)];
      case 'reply-withdrawn':
        open = undefined;
        calls.withdraw();
        return [{ type: 'reset-step' }];
      case 'message-end':
        return [...close(), ...calls.endReply(event.calls)];
      case 'output-delta':
        return [toOutput(event.output)];
      case 'tool-start':
        return calls.announce(event);
      case 'tool-end':
        return [...calls.announce(event), ...calls.end(event)];
      case 'tool-complete':
        return calls.end(event);
      case 'tool-progress':
        return [toTransient('data-tool-progress', { callId: event.callId, update: event.update })];
      case 'sub-agent-event':
        return [toTransient('data-sub-agent', { path: event.path, event: event.event })];
      case 'decided-call-end': {
        const call = { ...event, callId: flatCallId(event.path, event.callId) };
        return [...calls.announce(call), ...calls.end(call)];
      }
      case 'run-end':
        return endRun(event);
      case 'error':
        return [
          ...setStep(false),
          { type: 'error', errorText: event.message },
          { type: 'finish', finishReason: 'error' },
        ];
      // These messages have no place for sound; its words are text.
      case 'audio-delta':
        return [];
      // Asked at the end of the run, with what an answer must repeat.
      case 'approval-request':
      case 'output-rejected':
      case 'resume':
      case 'message':
        return [];
    }
  }

  return (event) => {
    const chunks = toChunks(event);
    if (hasStarted) return chunks;
    hasStarted = true;
    return [{ type: 'start', ...(messageId === undefined ? {} : { messageId }) }, ...chunks];
  };
}

const FINISH: Readonly<Record<ClientRunEnd['reason'], UiFinishReason>> = {
  done: 'stop',
  handled: 'stop',
  length: 'length',
  filtered: 'content-filter',
  approval: 'tool-calls',
  error: 'error',
  limit: 'other',
  loop: 'other',
  aborted: 'other',
};

function toOutput(data: unknown): UiMessageChunk {
  return { type: 'data-output', id: 'output', data };
}

function toTransient(type: 'data-tool-progress' | 'data-sub-agent', data: unknown): UiMessageChunk {
  return { type, data, transient: true };
}
