import { isObject } from './json.ts';
import { nodeModule } from './platform.ts';
import { sha256Hex } from './sha256.ts';
import { sliceHead } from './truncate.ts';

/** Caches the digests of frozen messages, since the input of every model step has the whole history. */
const ofMessages = new WeakMap<object, string>();

export function jsonDigest(value: unknown): string {
  return textDigest(JSON.stringify(value));
}

/** Returns a digest of the input of a step. A journal with another digest for the step was written by other code. */
export function inputDigest({ kind, input }: { readonly kind: string; readonly input?: unknown }): string {
  if (kind !== 'model' || !isObject(input)) return jsonDigest(input ?? null);
  const { messages, ...rest } = input;
  const each = Array.isArray(messages) ? messages.map((message: unknown) => messageDigest(message)) : [];
  return textDigest(`${JSON.stringify(rest)}${each.join('')}`);
}

function messageDigest(message: unknown): string {
  if (!isObject(message) || !Object.isFrozen(message)) return jsonDigest(message);
  const known = ofMessages.get(message) ?? jsonDigest(message);
  ofMessages.set(message, known);
  return known;
}

function textDigest(text: string): string {
  return sliceHead(nodeModule('node:crypto')?.hash('sha256', text, 'base64url') ?? sha256Hex(text), 22);
}
