import { flatCallId } from '../approval/approval-id.ts';
import type { ClientEvent } from '../client-view/client-event-types.ts';
import { type AgUiIdScope, createAgUiCallConverter } from './ag-ui-call-converter.ts';
import type { AgUiAgentEvent } from './ag-ui-event.ts';

export function createAgentConverter(ids: AgUiIdScope) {
  const calls = createAgUiCallConverter(ids);
  let open: 'text' | 'reasoning' | undefined;
  let step: string | undefined;
  let messages = 0;
  let messageId = `${ids.messagePrefix}0`;

  function closeMessage(): readonly AgUiAgentEvent[] {
    const kind = open;
    open = undefined;
    if (kind === undefined) return [];
    if (kind === 'text') return [{ type: 'TEXT_MESSAGE_END', messageId }];
    return [
      { type: 'REASONING_MESSAGE_END', messageId },
      { type: 'REASONING_END', messageId },
    ];
  }

  function addText(kind: 'text' | 'reasoning', delta: string): readonly AgUiAgentEvent[] {
    if (delta === '') return [];
    const begun = open === kind ? [] : [...closeMessage(), ...beginMessage(kind)];
    const type = kind === 'text' ? 'TEXT_MESSAGE_CONTENT' : 'REASONING_MESSAGE_CONTENT';
    return [...begun, { type, messageId, delta }];
  }

  function beginMessage(kind: 'text' | 'reasoning'): readonly AgUiAgentEvent[] {
    open = kind;
    messages += 1;
    messageId = `${ids.messagePrefix}${messages}`;
    if (kind === 'text') return [{ type: 'TEXT_MESSAGE_START', messageId, role: 'assistant' }];
    return [
      { type: 'REASONING_START', messageId },
      { type: 'REASONING_MESSAGE_START', messageId, role: 'reasoning' },
    ];
  }

  function setStep(name: string | undefined): readonly AgUiAgentEvent[] {
    const events: AgUiAgentEvent[] = [...closeMessage()];
    if (step !== undefined) events.push({ type: 'STEP_FINISHED', stepName: step });
    if (name !== undefined) events.push({ type: 'STEP_STARTED', stepName: name });
    step = name;
    return events;
  }

  return {
    isAnnounced: calls.isAnnounced,
    close: (): readonly AgUiAgentEvent[] => [
      ...closeMessage(),
      ...calls.endReply([], messageId),
      ...setStep(undefined),
    ],
    convert(event: ClientEvent): readonly AgUiAgentEvent[] {
      switch (event.type) {
        case 'turn-start':
          return setStep(`turn-${event.turn}`);
        case 'turn-end':
          return setStep(undefined);
        case 'text-delta':
          return addText('text', event.text);
        case 'reasoning-delta':
          return addText('reasoning', event.text);
        case 'tool-call-delta':
          return [...closeMessage(), ...calls.addDelta(event, messageId)];
        case 'reply-withdrawn': {
          const withdrawn: AgUiAgentEvent = {
            type: 'CUSTOM',
            name: 'reply-withdrawn',
            value: { messageId, code: event.code },
          };
          return [...closeMessage(), ...calls.endReply([], messageId), withdrawn];
        }
        case 'message-end':
          return [...closeMessage(), ...calls.endReply(event.calls, messageId)];
        case 'output-delta':
          return [{ type: 'CUSTOM', name: 'output', value: event.output }];
        case 'tool-start':
          return calls.announce(event);
        case 'tool-end':
          return [...calls.announce(event), ...calls.end(event)];
        case 'audio-delta':
          return [{ type: 'CUSTOM', name: 'audio', value: { messageId, data: event.data, mimeType: event.mimeType } }];
        case 'citation':
          return [{ type: 'CUSTOM', name: 'citation', value: { messageId, ...event.citation } }];
        case 'server-tool-call':
        case 'server-tool-result': {
          const { type: name, ...value } = event;
          return [{ type: 'CUSTOM', name, value }];
        }
        case 'tool-complete': {
          const callId = flatCallId(ids.path, event.callId);
          return [{ type: 'CUSTOM', name: 'tool-complete', value: { ...event, callId } }];
        }
        // Of a sub-agent that is not shown: its calls that the client was asked about are the run's own.
        case 'decided-call-end': {
          const call = { ...event, callId: flatCallId(event.path, event.callId) };
          return [...calls.announce(call), ...calls.end(call)];
        }
        case 'tool-progress':
          return [
            {
              type: 'CUSTOM',
              name: 'tool-progress',
              value: { callId: flatCallId(ids.path, event.callId), update: event.update },
            },
          ];
        // Asked at the end of the run, with what an answer must repeat.
        case 'approval-request':
        case 'output-rejected':
        case 'sub-agent-event':
        case 'run-end':
        case 'resume':
        case 'message':
        case 'error':
          return [];
      }
    },
  };
}
