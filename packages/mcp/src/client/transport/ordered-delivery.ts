import type { JSONRPCMessage } from '@modelcontextprotocol/client';

/**
 * Wraps a receiver of messages so that what follows a notification waits for its handler, which the SDK runs a microtask later. Otherwise the
 * last progress of a call is lost when it arrives in one packet with the response.
 */
export function orderedDelivery(deliver: (message: JSONRPCMessage) => void): (message: JSONRPCMessage) => void {
  let waiting: JSONRPCMessage[] = [];
  let head = 0;
  let isPaused = false;
  /** Returns whether the next message must wait. */
  const deliverNow = (message: JSONRPCMessage): boolean => {
    deliver(message);
    if ('id' in message) return false;
    isPaused = true;
    queueMicrotask(resume);
    return true;
  };
  const resume = (): void => {
    isPaused = false;
    // An index instead of `shift()`, which moves everything that waits.
    for (let next = waiting[head]; next !== undefined; next = waiting[head]) {
      head += 1;
      if (deliverNow(next)) break;
    }
    if (head < waiting.length) return;
    waiting = [];
    head = 0;
  };
  return (message) => {
    if (isPaused || waiting.length > 0) waiting.push(message);
    else deliverNow(message);
  };
}
