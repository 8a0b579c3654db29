import { createHmac } from 'node:crypto';
import { PassThrough, Writable } from 'node:stream';
import type { ToolWithHandler, ToolResult } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { describe, expect, it } from 'vitest';
import { messageTool, streamChannel, webhookChannel } from '../../src/messages/index.ts';
import { readSecret, webhookHeaders } from '../../src/messages/webhook-channel.ts';
import { serve } from '../web/support.ts';

const KEY = Buffer.alloc(32, 7);

const call = (tool: ToolWithHandler, input: object, signal = new AbortController().signal) =>
  Promise.resolve(
    tool.handler(input as never, { signal, callId: 'call-1', toolName: 'message', idempotencyKey: 'key-1' }),
  ) as Promise<ToolResult>;

describe('message', () => {
  it('writes to a stream, without terminal escapes, and shows the user what was sent', async () => {
    verifies('toolbox.messages');
    const stream = new PassThrough();
    const result = await call(messageTool([streamChannel(stream)]), { text: '\u001b[2JAll \u001b[31mred\u001b[0m.' });
    expect(String(stream.read())).toBe('All red.\n');
    expect(result.forUser).toContain('Sent to stdout');
  });

  it('waits for a stream that is full, and ends on an abort', async () => {
    const stream = new PassThrough({ highWaterMark: 1 });
    const controller = new AbortController();
    const sending = call(messageTool([streamChannel(stream)]), { text: 'full' }, controller.signal);
    controller.abort(new Error('enough'));
    await expect(sending).rejects.toThrow(/enough|aborted/);
  });

  it('posts to a webhook, signed, with the idempotency key of the call as id', async () => {
    let request = { headers: {} as Record<string, unknown>, body: '' };
    const origin = await serve((incoming, response) => {
      let body = '';
      incoming.on('data', (chunk: Buffer) => (body += chunk.toString()));
      incoming.on('end', () => {
        request = { headers: incoming.headers, body };
        response.end('ok');
      });
    });
    const channel = webhookChannel({
      url: `${origin}/hook`,
      secret: `whsec_${KEY.toString('base64')}`,
      name: 'chat',
      body: ({ text }) => ({ content: text }),
    });
    await call(messageTool([channel]), { text: 'Hello.' });
    expect(request.body).toBe('{"content":"Hello."}');
    const signed = `key-1.${String(request.headers['webhook-timestamp'])}.${request.body}`;
    const digest = createHmac('sha256', KEY).update(signed).digest('base64');
    expect(request.headers).toMatchObject({ 'webhook-id': 'key-1', 'webhook-signature': `v1,${digest}` });
  });

  it('signs as the reference implementation of Standard Webhooks does', () => {
    verifies('toolbox.messages.signed');
    // Its own test vector.
    const key = readSecret('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw');
    expect(webhookHeaders('msg_p5jXN8AQM9LWM0D4loKWxJek', '{"test": 2432232314}', key, 1_614_265_330_000)).toEqual({
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    });
  });

  it.each(['shared', 'whsec_', 'whsec_c2hvcnQ=', `whsec_${'!'.repeat(40)}`, KEY.toString('base64')])(
    'refuses the secret %s, which receivers would read otherwise, and does not repeat it',
    (secret) => {
      verifies('toolbox.messages.signed');
      const make = () => webhookChannel({ url: 'https://example.com/hook', secret });
      expect(make).toThrow('"whsec_" and 24 to 64 bytes in base64');
      expect(make).not.toThrow(secret.length > 8 ? secret : 'shared');
    },
  );

  it('refuses an address with a password, which no request could be made to', () => {
    verifies('toolbox.messages');
    expect(() => webhookChannel({ url: 'https://me:s3cret@example.com' })).toThrow(/^webhookChannel takes no name/);
  });

  it.each(['call\n1', 'ж', 'x'.repeat(5000)])(
    'has an id that a header can hold, the same each time, for the call %j',
    async (id) => {
      verifies('toolbox.messages');
      const ids: unknown[] = [];
      const origin = await serve((incoming, response) => {
        ids.push(incoming.headers['webhook-id']);
        incoming.resume();
        response.end();
      });
      const channel = webhookChannel({ url: origin });
      for (const text of ['a', 'a']) await channel.send({ id, text }, new AbortController().signal);
      expect(ids[0]).toMatch(/^sha256-[\w-]{43}$/);
      expect(ids[1]).toBe(ids[0]);
    },
  );

  it('reads nothing of an answer, however long it is', async () => {
    verifies('toolbox.messages');
    const closed = Promise.withResolvers<number>();
    const origin = await serve((incoming, response) => {
      incoming.resume();
      let sent = 0;
      const more = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536))) sent += 65_536;
      };
      response.on('drain', more).on('close', () => closed.resolve(sent));
      more();
    });
    await call(messageTool([webhookChannel({ url: origin })]), { text: 'x' });
    expect(await closed.promise).toBeLessThan(50_000_000);
  });

  it('a stream that is closed, closes or fails meanwhile is an error, and nothing else breaks', async () => {
    verifies('toolbox.messages');
    const ended = new PassThrough();
    ended.end();
    const destroyed = new PassThrough();
    destroyed.destroy();
    const failing = new Writable({ write: (_chunk, _encoding, callback) => callback(new Error('EPIPE')) });
    const closing = new Writable({ write: () => void setImmediate(() => closing.destroy()) });
    for (const stream of [ended, destroyed, failing, closing])
      await expect(call(messageTool([streamChannel(stream)]), { text: 'x' })).rejects.toThrow('"stdout" is closed');
    const open = new PassThrough();
    for (let round = 0; round < 20; round += 1) await call(messageTool([streamChannel(open)]), { text: 'x' });
    expect([open.listenerCount('close'), open.listenerCount('error')]).toEqual([0, 0]);
  });

  it('shows hidden characters, and those that go back on a line', async () => {
    verifies('toolbox.messages');
    const stream = new PassThrough();
    const { forUser } = await call(messageTool([streamChannel(stream)]), { text: 'safe\u202e\rgone' });
    expect(String(stream.read())).toBe('safe\\u202e\\x0dgone\n');
    expect(forUser).toContain('safe\\u202e\\x0dgone');
  });

  it('the model chooses among channels by name, and cannot invent one', async () => {
    const streams = [new PassThrough(), new PassThrough()] as const;
    const tool = messageTool([streamChannel(streams[0], 'a'), streamChannel(streams[1], 'b')]);
    expect(JSON.stringify(tool.tool.parameters)).toContain('"enum":["a","b"]');
    await call(tool, { text: 'to b', channel: 'b' });
    expect(String(streams[1].read())).toBe('to b\n');
    await expect(call(tool, { text: 'x', channel: 'c' })).rejects.toThrow('There is no channel "c"');
    expect(() => messageTool([])).toThrow('different names');
    expect(() => messageTool([streamChannel(streams[0]), streamChannel(streams[1])])).toThrow('different names');
    expect(() => webhookChannel({ url: 'file:///x' })).toThrow('http or https');
  });
});
