import { randomUUID } from 'node:crypto';
import { isAbsolute, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { SessionEntry } from '@kernel/agent';
import { parseJson } from '@kernel/internal';
import {
  type MediaPart,
  type Message,
  type TextPart,
  type ToolMessage,
  toolCallsOf,
  type ToolResult,
} from '@kernel/protocol';
import type { ContentBlock } from '@agentclientprotocol/sdk/unstable';
import { planIn } from '../plan-tool.ts';
import { changesIn } from './file-changes.ts';
import type { SendUpdate } from './show-turn.ts';
import { textBlock } from './text-content.ts';
import { callIdOf, createToolCalls, type ToolCalls } from './tool-calls.ts';

/** Sends a conversation as an editor would have seen it: messages, thoughts, and calls with their results. What cannot be read of it is left out. */
export async function replayHistory(entries: readonly SessionEntry[], send: SendUpdate, folder: string): Promise<void> {
  const calls = createToolCalls({
    send: (update) => void send(update).catch(() => undefined),
    folder,
    toolOf: () => undefined,
  });
  for (const entry of entries)
    // oxlint-disable-next-line no-await-in-loop -- in order, and no faster than the editor takes it
    if (entry.type === 'message' && entry.isCorrection !== true)
      await replayMessage(entry.message, send, folder, calls);
  calls.failUnfinished('It has no result in this session.');
}

async function replayMessage(message: Message, send: SendUpdate, folder: string, calls: ToolCalls): Promise<void> {
  const messageId = randomUUID();
  switch (message.role) {
    case 'user':
      for (const content of blocksOf(message.content, folder))
        // oxlint-disable-next-line no-await-in-loop -- in order
        await send({ sessionUpdate: 'user_message_chunk', messageId, content });
      return;
    case 'assistant':
      for (const part of message.content) {
        if (part.type !== 'reasoning' && part.type !== 'text') continue;
        const sessionUpdate = part.type === 'reasoning' ? 'agent_thought_chunk' : 'agent_message_chunk';
        // oxlint-disable-next-line no-await-in-loop -- in order
        await send({ sessionUpdate, messageId, content: textBlock(part.text) });
      }
      for (const call of toolCallsOf(message)) {
        const id = callIdOf([], call.id);
        calls.start(id, call);
        calls.setChanges(id, call, changesIn(call, folder));
        const entries = call.name === 'update_plan' ? planIn(call.arguments) : undefined;
        // oxlint-disable-next-line no-await-in-loop -- in order
        if (entries !== undefined) await send({ sessionUpdate: 'plan', entries });
      }
      return;
    case 'system':
      return;
    case 'tool':
      calls.end(
        callIdOf([], message.toolCallId),
        { type: 'tool-call', id: message.toolCallId, name: message.name, arguments: '{}' },
        resultOf(message),
      );
  }
}

function resultOf({ content, isError }: ToolMessage): ToolResult {
  const said =
    typeof content === 'string' ? content : content.map((part) => (part.type === 'text' ? part.text : '')).join('');
  const media = typeof content === 'string' ? [] : content.filter((part) => part.type !== 'text');
  return { forLLM: said, ...(isError === true && { isError }), ...(media.length > 0 && { media }) };
}

/** The content of a user's message. A file that came with it is a link to it. */
function blocksOf(content: string | readonly (TextPart | MediaPart)[], folder: string): readonly ContentBlock[] {
  if (typeof content === 'string') return [textBlock(content)];
  const blocks = content.flatMap((part): ContentBlock[] => {
    if (part.type === 'text') {
      const [, quoted = ''] = /^<(?:file|resource)(?:-\d+)? name=("[^\n]*")>\n/.exec(part.text) ?? [];
      const name = parseJson(quoted);
      return typeof name === 'string' ? [linkTo(name, folder)] : [textBlock(part.text)];
    }
    const { type, data, mimeType } = part;
    return data === undefined || type === 'file' ? [] : [{ type, data, mimeType }];
  });
  // What came with it is stored first, and was sent after the text.
  return blocks.toSorted((one, other) => Number(other.type === 'text') - Number(one.type === 'text'));
}

function linkTo(name: string, folder: string): ContentBlock {
  const path = name.replace(/:\d+(?:-\d+)?$/, '');
  const uri = /^[a-z][\w+.-]*:/i.test(path) ? path : pathToFileURL(isAbsolute(path) ? path : join(folder, path)).href;
  return { type: 'resource_link', name, uri };
}
