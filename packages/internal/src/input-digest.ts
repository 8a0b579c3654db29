import { isObject } from './json.ts';
import { nodeModule } from './platform.ts';
import { sha256Hex } from './sha256.ts';
import { sliceHead } from './truncate.ts';

/** Caches the digests of frozen messages, since the input of every model step has the whole history. */
const ofMessages = new WeakMap<object, string>();

/** Returns a digest of a JSON value. */
export function jsonDigest(value: unknown): string {
  const text = JSON.stringify(value);
  const digest = nodeModule('node:crypto')?.hash('sha256', text, 'base64url') ?? sha256Hex(text);
  return sliceHead(digest, 22);
}

/** Returns a digest of the input of a step. A journal with another digest for the step was written by other code. */
export function inputDigest({ input }: { readonly input?: unknown }): string {
  if (!isObject(input) || !Array.isArray(input['messages'])) return jsonDigest(input ?? null);
  const messages = input['messages'].map((message: unknown) => {
    if (!isObject(message) || !Object.isFrozen(message)) return jsonDigest(message);
    const known = ofMessages.get(message) ?? jsonDigest(message);
    ofMessages.set(message, known);
    return known;
  });
  return jsonDigest({ ...input, messages });
}
