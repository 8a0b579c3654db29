import type { ToolWithHandler, ToolResult } from '@kernel/protocol';
import { describe, expect, it } from 'vitest';
import { messageTool, webhookChannel } from '../../src/messages/index.ts';
import { serve } from '../web/support.ts';

const call = (tool: ToolWithHandler, input: object, signal = new AbortController().signal) =>
  Promise.resolve(
    tool.handler(input as never, { signal, callId: 'call-1', toolName: 'message', idempotencyKey: 'key-1' }),
  ) as Promise<ToolResult>;

describe('message', () => {
  it.each([
    ['/fails', 'answered 500'],
    ['/moves', 'cannot be reached'],
    ['/hangs', 'took longer than 300 ms'],
  ])('a webhook that %s says so, without its address', async (path, reason) => {
    const origin = await serve((incoming, response) => {
      if (incoming.url === '/fails') response.writeHead(500).end();
      else if (incoming.url === '/moves') response.writeHead(302, { location: '/elsewhere' }).end();
    });
    const timeoutMs = path === '/hangs' ? 300 : 60_000;
    const sending = call(messageTool([webhookChannel({ url: origin + path, timeoutMs })]), { text: 'x' });
    const error: unknown = await sending.catch((thrown: unknown) => thrown);
    expect(String(error)).toContain(reason);
    expect(String(error)).not.toContain('127.0.0.1');
  });
});
