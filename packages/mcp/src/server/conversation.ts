import type { Conversation } from '@kernel/protocol';
import type { ServerContext } from '@modelcontextprotocol/server';

/** Returns the conversation that a request belongs to: its session, where the transport has sessions. */
export function conversationOf({ sessionId }: ServerContext): Conversation | undefined {
  return sessionId === undefined ? undefined : { channel: 'mcp', chatId: sessionId };
}
