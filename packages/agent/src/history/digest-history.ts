import { sha256Hex } from '@kernel/internal';
import type { Message } from '@kernel/protocol';

const cache = new WeakMap<Message, string>();

/**
 * Returns a digest for each prefix of a history, shortest first: equal for histories of equal content, whatever objects hold it. Cached per
 * frozen message.
 */
export function digestPrefixes(messages: readonly Message[]): readonly string[] {
  let previous = '';
  return messages.map((message) => {
    let own = cache.get(message);
    if (own === undefined) {
      own = sha256Hex(JSON.stringify(message));
      if (Object.isFrozen(message)) cache.set(message, own);
    }
    previous = sha256Hex(previous + own);
    return previous;
  });
}
