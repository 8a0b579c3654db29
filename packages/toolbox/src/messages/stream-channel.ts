import type { Writable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { untilAborted, visibleText } from '@kernel/internal';
import { KernelError } from '@kernel/protocol';
import type { MessageChannel } from './message-tool.ts';

/**
 * Writes messages to a stream, such as `process.stdout`, each followed by a line break, and waits until the stream has accepted it. Terminal escapes
 * are removed; other control and hidden characters are made visible.
 */
export function streamChannel(stream: Writable, name = 'stdout'): MessageChannel {
  return {
    name,
    async send({ text }, signal) {
      signal.throwIfAborted();
      const line = `${visibleText(stripVTControlCharacters(text))}\n`;
      const isTaken = await untilAborted(write(stream, line), signal);
      if (!isTaken) throw new KernelError('TOOL_FAILED', `The message was not delivered: "${name}" is closed.`);
    },
  };
}

/** Writes a text and resolves to whether the stream has accepted it. A stream that fails or closes meanwhile has not. */
function write(stream: Writable, text: string): Promise<boolean> {
  if (!stream.writable) return Promise.resolve(false);
  return new Promise((resolve) => {
    const end = (isTaken: boolean): void => {
      stream.off('close', fail);
      resolve(isTaken);
      if (isTaken) stream.off('error', fail);
      // A stream reports its failure after the write has.
      else setImmediate(() => stream.off('error', fail));
    };
    const fail = (): void => end(false);
    stream.on('close', fail);
    stream.on('error', fail);
    stream.write(text, (error) => end(error === null || error === undefined));
  });
}
