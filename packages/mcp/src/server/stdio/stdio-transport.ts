import type { Readable, Writable } from 'node:stream';
import { attempt, parseJson, toJsonText } from '@kernel/internal';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';
import { INVALID_REQUEST, PARSE_ERROR, type RequestId, requestIdOf } from '../../json-rpc.ts';
import { splitLines } from '../../split-lines.ts';

/**
 * Creates a transport with one JSON-RPC message per line. Unlike the SDK's own it responds to a line that it cannot read, so that the sender does not
 * wait for ever, and continues after a line that is too long. The end of the input or of the output closes it.
 */
export function stdioTransport(
  stdin: Readable,
  stdout: Writable,
  maxMessageBytes: number,
  parse: (value: unknown) => JSONRPCMessage,
): Transport {
  let isOpen = true;
  const write = (message: unknown): Promise<void> => {
    if (!isOpen) return Promise.reject(new Error('The connection is closed.'));
    return new Promise((resolve, reject) => {
      stdout.write(`${toJsonText(message)}\n`, (error) =>
        error === null || error === undefined ? resolve() : reject(error),
      );
    });
  };
  const refuse = (code: number, message: string, id: RequestId | null = null): void => {
    write({ jsonrpc: '2.0', id, error: { code, message } }).catch(() => {}); // reported by the stream's `error` event
    transport.onerror?.(new Error(message));
  };
  const receive = (line: string): void => {
    if (line.trim() === '') return;
    const value = parseJson(line);
    if (value === undefined) return refuse(PARSE_ERROR, 'Parse error: a line is not valid JSON');
    const message = attempt(() => parse(value));
    if (message === undefined)
      return refuse(INVALID_REQUEST, 'Invalid request: not a JSON-RPC 2.0 message of MCP', requestIdOf(value));
    transport.onmessage?.(message);
  };
  const read = splitLines(maxMessageBytes, receive, () =>
    refuse(INVALID_REQUEST, `Invalid request: a message may have at most ${maxMessageBytes} bytes`),
  );

  const onData = (chunk: Buffer | string): void => read(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
  const onEnd = (): void => void transport.close();
  const onInputError = (error: Error): void => transport.onerror?.(error);
  // Never removed: a pending write may still fail after the end, and its error event would be unhandled.
  const onOutputError = (error: Error): void => {
    if (!isOpen) return;
    transport.onerror?.(error);
    void transport.close();
  };

  const transport: Transport = {
    start() {
      stdout.on('error', onOutputError);
      stdout.on('close', onEnd);
      stdin.on('error', onInputError);
      stdin.on('end', onEnd);
      stdin.on('close', onEnd);
      stdin.on('data', onData);
      if (stdin.readableEnded || stdin.destroyed) setImmediate(onEnd);
      return Promise.resolve();
    },
    send: (message) => write(message),
    close() {
      if (!isOpen) return Promise.resolve();
      isOpen = false;
      stdin.off('data', onData);
      stdin.off('end', onEnd);
      stdin.off('close', onEnd);
      stdin.off('error', onInputError);
      stdout.off('close', onEnd);
      if (stdin.listenerCount('data') === 0) stdin.pause();
      transport.onclose?.();
      return Promise.resolve();
    },
  };
  return transport;
}
