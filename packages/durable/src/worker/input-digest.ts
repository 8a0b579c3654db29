import { hash } from 'node:crypto';
import { isObject } from '@kernel/internal';
import type { Step } from '@kernel/protocol';

/** Caches the digests of messages, since the input of every model step has the whole history. */
const digests = new WeakMap<object, string>();

/** Returns a digest of a step's input. A journal with another digest for the step was written by other code. */
export function inputDigest({ kind, input }: Step): string {
  if (kind !== 'model' || !isObject(input)) return digest(JSON.stringify(input));
  const { messages, ...rest } = input;
  const each = Array.isArray(messages) ? messages.map((message: unknown) => digestOnce(message)) : [];
  return digest(`${JSON.stringify(rest)}${each.join('')}`);
}

function digestOnce(message: unknown): string {
  if (typeof message !== 'object' || message === null || !Object.isFrozen(message))
    return digest(JSON.stringify(message));
  const known = digests.get(message) ?? digest(JSON.stringify(message));
  digests.set(message, known);
  return known;
}

function digest(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, 22);
}
