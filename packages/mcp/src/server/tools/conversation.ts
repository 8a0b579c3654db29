import type { Conversation } from '@kernel/protocol';
import type { ServerContext } from '@modelcontextprotocol/server';

export function conversationOf({ sessionId }: ServerContext): Conversation | undefined {
  return sessionId === undefined ? undefined : { channel: 'mcp', chatId: sessionId };
}
