import { type Message, type Provider, textOf, type ToolMessage } from '@kernel/protocol';
import { freezeMessage } from '../history/messages.ts';

/** Which tool results are cleared. */
export interface ClearedResultsOptions {
  /** How many of the newest results stay whole. Default 10. */
  readonly keep?: number | undefined;
  /** Shorter results stay as they are, in characters. Default 500. */
  readonly minLength?: number | undefined;
  /** Clears in steps of so many results, so that the cached prefix changes seldom. Default 10. */
  readonly step?: number | undefined;
}

/**
 * Sends old tool results as a note of one line instead of their text. The history itself stays whole.
 *
 * A cleared result is cleared for good and is the same frozen object each time, so that prompt caches and encoders keep what they have.
 */
export function withClearedResults(provider: Provider, options: ClearedResultsOptions = {}): Provider {
  const { keep = 10, minLength = 500, step = 10 } = options;
  const notes = new WeakMap<Message, Message>();
  const clear = (message: ToolMessage): Message => {
    const { length } = textOf(message);
    if (length < minLength && typeof message.content === 'string') return message;
    const kept = notes.get(message);
    if (kept !== undefined) return kept;
    const content = `[The result of "${message.name}", ${length} characters, was cleared to save room. Call the tool again if it is needed.]`;
    const note = freezeMessage({ ...message, content });
    notes.set(message, note);
    return note;
  };
  return {
    ...provider,
    stream(request) {
      const results = request.messages.filter((message) => message.role === 'tool').length;
      let left = Math.floor(Math.max(0, results - keep) / step) * step;
      if (left === 0) return provider.stream(request);
      const messages = request.messages.map((message) => {
        if (message.role !== 'tool' || left === 0) return message;
        left -= 1;
        return clear(message);
      });
      return provider.stream({ ...request, messages });
    },
  };
}
