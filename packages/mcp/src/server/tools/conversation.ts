import type { Conversation } from '@kernel/protocol';
import type { ServerContext } from '@modelcontextprotocol/server';

/** Returns the conversation of a request: its session, if the transport has sessions. */
export function conversationOf({ sessionId }: ServerContext): Conversation | undefined {
  return sessionId === undefined ? undefined : { channel: 'mcp', chatId: sessionId };
}
