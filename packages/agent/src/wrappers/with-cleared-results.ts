import {
  checkProvider,
  checkNumber,
  type Message,
  type Provider,
  textOf,
  type ToolMessage,
  wrapProvider,
} from '@kernel/protocol';
import { freezeMessage } from '../history/messages.ts';

/** Which tool results are cleared. */
export interface ClearedResultsOptions {
  /** How many of the newest results stay whole. Default 10. */
  readonly keep?: number | undefined;
  /** Results of fewer characters stay whole. Default 500. */
  readonly minLength?: number | undefined;
  /** How many results are cleared at a time: more of them change a cached prefix less often. Default: half of `keep`, at least 1. */
  readonly step?: number | undefined;
}

/**
 * Wraps a provider so that old tool results are sent as a note of one line. The history itself stays whole.
 *
 * A result that was cleared once stays cleared and is the same frozen object each time, so that prompt caches and encoders can reuse their
 * work.
 */
export function withClearedResults(provider: Provider, options: ClearedResultsOptions = {}): Provider {
  checkProvider('withClearedResults', provider);
  checkNumber('withClearedResults', 'keep', options.keep, 0);
  checkNumber('withClearedResults', 'minLength', options.minLength, 0);
  checkNumber('withClearedResults', 'step', options.step, 1);
  const { keep = 10, minLength = 500, step = Math.max(1, Math.floor(keep / 2)) } = options;
  const notes = new WeakMap<Message, Message>();
  const clear = (message: ToolMessage): Message => {
    const { length } = textOf(message);
    if (length < minLength && typeof message.content === 'string') return message;
    const cached = notes.get(message);
    if (cached !== undefined) return cached;
    const content = `[The result of "${message.name}", ${length} characters, was cleared to save space. Call the tool again if it is needed.]`;
    const note = freezeMessage({ ...message, content });
    notes.set(message, note);
    return note;
  };
  return wrapProvider(provider, {
    stream(request) {
      const results = request.messages.filter((message) => message.role === 'tool').length;
      let toClear = Math.floor(Math.max(0, results - keep) / step) * step;
      if (toClear === 0) return provider.stream(request);
      const messages = request.messages.map((message) => {
        if (message.role !== 'tool' || toClear === 0) return message;
        toClear -= 1;
        return clear(message);
      });
      return provider.stream({ ...request, messages });
    },
  });
}
