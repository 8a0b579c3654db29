import type { Readable, Writable } from 'node:stream';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';
import { cutLines } from '../cut-lines.ts';

const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;

/**
 * Makes a transport of one JSON-RPC message a line. Unlike the SDK's own it answers a line that it cannot read, so that the sender does
 * not wait for ever, and goes on after a line that is too long. The end of the input, or of the output, closes it.
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
      stdout.write(`${JSON.stringify(message)}\n`, (error) =>
        error === null || error === undefined ? resolve() : reject(error),
      );
    });
  };
  const refuse = (code: number, message: string, id: unknown = null): void => {
    write({ jsonrpc: '2.0', id, error: { code, message } }).catch(() => {}); // its `error` event is heard
    transport.onerror?.(new Error(message));
  };
  const read = (line: string): void => {
    if (line.trim() === '') return;
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      return refuse(PARSE_ERROR, 'Parse error: a line is no JSON');
    }
    let message: JSONRPCMessage;
    try {
      message = parse(value);
    } catch {
      return refuse(INVALID_REQUEST, 'Invalid request: not a JSON-RPC 2.0 message of MCP', requestIdOf(value));
    }
    transport.onmessage?.(message);
  };
  const lines = cutLines(maxMessageBytes, read, () =>
    refuse(INVALID_REQUEST, `Invalid request: a message may have ${maxMessageBytes} bytes`),
  );

  const onData = (chunk: Buffer | string): void => lines(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
  const onEnd = (): void => void transport.close();
  const onInputError = (error: Error): void => transport.onerror?.(error);
  // Stays for good: a write that was under way may still fail after the end, and nobody else would hear it.
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

/** The id to answer with: only a request has one that its sender waits for. */
function requestIdOf(value: unknown): string | number | null {
  if (typeof value !== 'object' || value === null || !('method' in value) || !('id' in value)) return null;
  return typeof value.id === 'string' || typeof value.id === 'number' ? value.id : null;
}
