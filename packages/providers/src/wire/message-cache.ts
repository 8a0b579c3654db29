import type { Message } from '@kernel/protocol';

export function cachePerMessage<T>(encode: (message: Message) => T): (message: Message) => T {
  const cache = new WeakMap<Message, T>();
  return (message) => {
    const cached = cache.get(message);
    if (cached !== undefined) return cached;
    const encoded = encode(message);
    if (Object.isFrozen(message)) cache.set(message, encoded);
    return encoded;
  };
}
