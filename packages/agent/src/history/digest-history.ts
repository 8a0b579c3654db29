import type { Message } from '@kernel/protocol';

const cache = new WeakMap<Message, string>();

/**
 * Returns a digest for each prefix of a history, shortest first: equal for histories of equal content, whatever objects hold it. Cached per
 * frozen message.
 */
export function digestPrefixes(messages: readonly Message[]): readonly string[] {
  const { hash } = process.getBuiltinModule('node:crypto');
  let previous = '';
  return messages.map((message) => {
    let own = cache.get(message);
    if (own === undefined) {
      own = hash('sha256', JSON.stringify(message));
      if (Object.isFrozen(message)) cache.set(message, own);
    }
    previous = hash('sha256', previous + own);
    return previous;
  });
}
