import { createHash } from 'node:crypto';
import { isObject } from '@kernel/internal';
import type { Step } from '@kernel/protocol';

/** Caches the digests of frozen messages, since the input of every model step has the whole history. */
const ofMessages = new WeakMap<object, string>();

/** Returns a digest of a JSON value. */
export function digest(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 22);
}

/** Returns a digest of a step's input. A journal with another digest for the step was written by other code. */
export function inputDigest({ input }: Step): string {
  if (!isObject(input) || !Array.isArray(input['messages'])) return digest(input);
  const messages = input['messages'].map((message: unknown) => {
    if (!isObject(message) || !Object.isFrozen(message)) return digest(message);
    if (!ofMessages.has(message)) ofMessages.set(message, digest(message));
    return ofMessages.get(message);
  });
  return digest({ ...input, messages });
}
