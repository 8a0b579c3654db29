import { hash } from 'node:crypto';
import { isObject } from '@kernel/internal';
import type { Step } from '@kernel/protocol';

/** Digests of the messages of a run, each made once: the input of a model step has the whole history. */
const digests = new WeakMap<object, string>();

/** A digest of what a step works on. A journal that has another one for the step belongs to other code. */
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
