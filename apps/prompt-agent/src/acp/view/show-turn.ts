import { randomUUID } from 'node:crypto';
import { type AgentEvent, type MediaPart, toolCallsOf } from '@kernel/protocol';
import type { ContentBlock, SessionUpdate } from '@agentclientprotocol/sdk/unstable';
import { textBlock } from './text-content.ts';
import { callIdOf, type ToolCalls } from './tool-calls.ts';

/** Sends an update of a session. Resolves when the editor may be sent more. */
export type SendUpdate = (update: SessionUpdate) => Promise<void>;

/** Shows the events of a turn in an editor, as they come. The text of a reply that is withdrawn cannot be taken back: the next one is another message. */
export function createTurnView(send: SendUpdate, calls: ToolCalls) {
  let messageId = randomUUID();
  /** The calls of the reply so far, by their positions. */
  const begun = new Map<number, { id?: string | undefined; name?: string | undefined }>();

  const say = (sessionUpdate: 'agent_message_chunk' | 'agent_thought_chunk', content: ContentBlock): Promise<void> =>
    send({ sessionUpdate, messageId, content });
  const endReply = (): void => {
    messageId = randomUUID();
    begun.clear();
  };

  const showInner = async ({ path, event }: Extract<AgentEvent, { type: 'sub-agent-event' }>): Promise<void> => {
    // Names and ids of agents and their calls, in turn.
    const ids = path.filter((_, index) => index % 2 === 1);
    const around = callIdOf(ids.slice(0, -1), ids.at(-1) ?? '');
    calls.markAround(around);
    if (event.type === 'text-delta') calls.addProgress(around, event.text, 'piece');
    else if (event.type === 'approval-request') calls.markQuestionShown(callIdOf(ids, event.call.id));
    else if (event.type === 'tool-start') calls.start(callIdOf(ids, event.call.id), event.call);
    else if (event.type === 'tool-progress') calls.addProgress(callIdOf(ids, event.callId), event.update);
    else if (event.type === 'tool-end') calls.end(callIdOf(ids, event.call.id), event.call, event.result);
  };

  return async (event: AgentEvent): Promise<void> => {
    switch (event.type) {
      case 'text-delta':
        if (event.text !== '') await say('agent_message_chunk', textBlock(event.text));
        return;
      case 'reasoning-delta':
        if (event.text !== '') await say('agent_thought_chunk', textBlock(event.text));
        return;
      case 'tool-call-delta': {
        const call = begun.get(event.index) ?? {};
        begun.set(event.index, call);
        call.id ??= event.id;
        call.name ??= event.name;
        if (call.id !== undefined && call.name !== undefined) calls.begin(callIdOf([], call.id), call.name);
        return;
      }
      case 'message-end': {
        const made = toolCallsOf(event.message);
        for (const call of made) calls.describe(callIdOf([], call.id), call);
        calls.failUnfinished('The model did not finish this call.', new Set(made.map(({ id }) => callIdOf([], id))));
        for (const part of event.message.content)
          if (part.type === 'image' || part.type === 'audio') await showMedia(part, say);
        endReply();
        return;
      }
      case 'reply-withdrawn':
        calls.failUnfinished('The reply was interrupted, and is requested again.');
        endReply();
        return;
      case 'server-tool-call': {
        const call = { type: 'tool-call' as const, id: event.id, name: event.name, arguments: event.arguments };
        calls.start(callIdOf([], event.id), call);
        return;
      }
      case 'server-tool-result': {
        const call = { type: 'tool-call' as const, id: event.callId, name: event.name, arguments: '{}' };
        calls.end(callIdOf([], event.callId), call, {
          forLLM: event.text,
          ...(event.isError === true && { isError: true }),
        });
        return;
      }
      case 'approval-request':
        calls.markQuestionShown(callIdOf([], event.call.id));
        return;
      case 'tool-start':
        calls.start(callIdOf([], event.call.id), event.call);
        return;
      case 'tool-progress':
        calls.addProgress(callIdOf([], event.callId), event.update);
        return;
      case 'tool-end':
        calls.end(callIdOf([], event.call.id), event.call, event.result);
        return;
      case 'sub-agent-event':
        await showInner(event);
        return;
      default:
    }
  };
}

/** An image or a recording of a reply. */
async function showMedia(
  { type, data, mimeType }: MediaPart,
  say: (kind: 'agent_message_chunk', content: ContentBlock) => Promise<void>,
): Promise<void> {
  if (data !== undefined && type !== 'file') await say('agent_message_chunk', { type, data, mimeType });
}
