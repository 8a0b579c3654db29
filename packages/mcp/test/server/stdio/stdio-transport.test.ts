import { once } from 'node:events';
import { PassThrough, Writable } from 'node:stream';
import { verifies } from '@kernel/testing';
import { type JSONRPCMessage, parseJSONRPCMessage } from '@modelcontextprotocol/server';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { stdioTransport } from '../../../src/server/stdio/stdio-transport.ts';

const ping = { jsonrpc: '2.0', id: 1, method: 'ping' } as const;

async function start(maxMessageBytes = 1000) {
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  const transport = stdioTransport(stdin, stdout, maxMessageBytes, (value) => parseJSONRPCMessage(value));
  const messages: JSONRPCMessage[] = [];
  const errors: Error[] = [];
  const onclose = vi.fn<() => void>();
  Object.assign(transport, {
    onmessage: (message: JSONRPCMessage) => void messages.push(message),
    onerror: (error: Error) => void errors.push(error),
    onclose,
  });
  await transport.start();
  onTestFinished(() => transport.close());
  let written = '';
  stdout.on('data', (chunk: Buffer) => (written += chunk.toString()));
  const answers = (): unknown[] =>
    written
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as unknown);
  return { stdin, transport, messages, errors, onclose, answers };
}

describe('lines', () => {
  test('cut at any byte, joined in one packet, with CRLF or blank lines between, are the same messages', async () => {
    verifies('mcp.server.lifecycle');
    const text = `${JSON.stringify({ ...ping, params: { _meta: { word: 'héllo → 🌍' } } })}\r\n\n${JSON.stringify({ ...ping, id: 2 })}\n`;
    const bytes = Buffer.from(text);
    for (let size = 1; size <= bytes.length; size += 1) {
      const { stdin, messages, errors } = await start();
      for (let at = 0; at < bytes.length; at += size) stdin.write(bytes.subarray(at, at + size));
      await vi.waitFor(() => expect(messages).toHaveLength(2), { interval: 1, timeout: 60_000 });
      expect(messages[0]).toMatchObject({ params: { _meta: { word: 'héllo → 🌍' } } });
      expect(errors).toEqual([]);
    }
  });

  test('that are not JSON, or not a message, are answered, and the next one is read', async () => {
    verifies('mcp.server.fault');
    const { stdin, messages, errors, answers } = await start();
    stdin.write('garbage\n[1,2]\n{"jsonrpc":"2.0","id":7,"method":5}\n{"id":8,"result":{}}\n');
    stdin.write(`${JSON.stringify(ping)}\n`);
    await vi.waitFor(() => expect(messages).toEqual([ping]), 60_000);
    await vi.waitFor(() => expect(answers()).toHaveLength(4), 60_000);
    expect(answers()).toMatchObject([
      { id: null, error: { code: -32_700 } },
      { id: null, error: { code: -32_600 } },
      { id: 7, error: { code: -32_600 } },
      { id: null, error: { code: -32_600 } },
    ]);
    expect(errors).toHaveLength(4);
  });

  test('that are too long are refused once and skipped to their end', async () => {
    const { stdin, messages, answers } = await start(100);
    for (let index = 0; index < 10; index += 1) stdin.write('x'.repeat(60));
    stdin.write(`tail\n${JSON.stringify(ping)}\n`);
    await vi.waitFor(() => expect(messages).toEqual([ping]), 60_000);
    expect(answers()).toMatchObject([{ id: null, error: { message: expect.stringContaining('100 bytes') as string } }]);
  });
});

describe('the end', () => {
  test('of the input closes the transport once and leaves no listener on it', async () => {
    const { stdin, onclose, transport } = await start();
    stdin.end();
    await once(stdin, 'end');
    await transport.close();
    expect(onclose).toHaveBeenCalledTimes(1);
    expect(['data', 'end', 'close', 'error'].map((event) => stdin.listenerCount(event))).toEqual(
      ['data', 'end', 'close', 'error'].map((event) => new PassThrough().listenerCount(event)),
    );
    await expect(transport.send(ping)).rejects.toThrow('closed');
  });

  test('an input that had ended before closes it too', async () => {
    const stdin = new PassThrough();
    stdin.end().resume();
    await once(stdin, 'end');
    const transport = stdioTransport(stdin, new PassThrough(), 100, (value) => parseJSONRPCMessage(value));
    const closed = new Promise<void>((resolve) => Object.assign(transport, { onclose: resolve }));
    await transport.start();
    await expect(closed).resolves.toBeUndefined();
  });

  test('of the output closes it, and a write that fails later is reported', async () => {
    const stdout = new Writable({ write: (_chunk, _encoding, done) => done(new Error('EPIPE')) });
    const transport = stdioTransport(new PassThrough(), stdout, 100, (value) => parseJSONRPCMessage(value));
    const closed = new Promise<void>((resolve) => Object.assign(transport, { onclose: resolve }));
    await transport.start();
    await expect(transport.send(ping)).rejects.toThrow('EPIPE');
    await closed;
  });

  test('of the output without an error closes it too', async () => {
    const stdout = new PassThrough();
    const transport = stdioTransport(new PassThrough(), stdout, 100, (value) => parseJSONRPCMessage(value));
    const closed = new Promise<void>((resolve) => Object.assign(transport, { onclose: resolve }));
    await transport.start();
    stdout.destroy();
    await expect(closed).resolves.toBeUndefined();
    expect(stdout.listenerCount('close')).toBe(0);
  });
});
