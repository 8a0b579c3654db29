import type { JSONRPCMessage } from '@modelcontextprotocol/client';

/**
 * Hands messages on in order. What follows a notification waits for its handler, which the SDK runs a microtask later: else the last progress of a
 * call would be lost when it comes in one packet with the answer.
 */
export function inOrder(deliver: (message: JSONRPCMessage) => void): (message: JSONRPCMessage) => void {
  const waiting: JSONRPCMessage[] = [];
  let isPaused = false;
  const take = (message: JSONRPCMessage): void => {
    if (isPaused) {
      waiting.push(message);
      return;
    }
    deliver(message);
    if ('id' in message) return;
    isPaused = true;
    queueMicrotask(resume);
  };
  const resume = (): void => {
    isPaused = false;
    for (const message of waiting.splice(0)) take(message);
  };
  return take;
}
