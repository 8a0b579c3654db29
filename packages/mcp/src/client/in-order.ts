import type { JSONRPCMessage } from '@modelcontextprotocol/client';

/**
 * Hands messages on in order. What follows a notification waits for its handler, which the SDK runs a microtask later: else the last progress of a
 * call would be lost when it comes in one packet with the answer.
 */
export function inOrder(deliver: (message: JSONRPCMessage) => void): (message: JSONRPCMessage) => void {
  const waiting: JSONRPCMessage[] = [];
  let isPaused = false;
  const give = (message: JSONRPCMessage): void => {
    deliver(message);
    if ('id' in message) return;
    isPaused = true;
    queueMicrotask(resume);
  };
  const resume = (): void => {
    isPaused = false;
    for (let next = waiting.shift(); next !== undefined; next = isPaused ? undefined : waiting.shift()) give(next);
  };
  return (message) => {
    if (isPaused || waiting.length > 0) waiting.push(message);
    else give(message);
  };
}
