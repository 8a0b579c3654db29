import { sha256, sha256Hex, toBase64, sliceHead } from '@kernel/internal';

/** The names that OpenAI, Anthropic, Mistral and Bedrock accept. */
export const TOOL_NAME = /^[a-zA-Z0-9_-]{1,64}$/;
/** The names that Gemini accepts. */
export const LETTER_FIRST_TOOL_NAME = /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/;

const MAX_NAME_LENGTH = 64;

/** A valid name stays as it is. One to one, and independent of the other tools. */
export function toWireName(name: string, valid: RegExp): string {
  if (valid.test(name)) return name;
  const plain = name.replaceAll(/[^a-zA-Z0-9_-]/g, '_');
  const suffix = `_${sha256Hex(name).slice(0, 8)}`;
  const letterFirst = /^[a-zA-Z_]/.test(plain) ? plain : `t_${plain}`;
  return sliceHead(letterFirst, MAX_NAME_LENGTH - suffix.length) + suffix;
}

export const CALL_ID_RULES = {
  any: { valid: /^[\s\S]+$/, length: 24 },
  /** OpenAI refuses ids longer than 40 characters. */
  'max-40': { valid: /^[\s\S]{1,40}$/, length: 24 },
  /** The Responses API refuses ids longer than 64 characters. */
  'max-64': { valid: /^[\s\S]{1,64}$/, length: 24 },
  /** Mistral accepts exactly nine letters and digits. */
  'alphanumeric-9': { valid: /^[a-zA-Z0-9]{9}$/, length: 9 },
  /** The ids that Anthropic and Bedrock accept. */
  word: { valid: /^[a-zA-Z0-9_-]{1,64}$/, length: 24 },
} as const;

/** Always maps an id to the same one, so that a call and its result still belong together. */
export function toWireId(id: string, rule: { readonly valid: RegExp; readonly length: number }): string {
  if (rule.valid.test(id)) return id;
  const digest = toBase64(sha256(id)).replaceAll(/[^a-zA-Z0-9]/g, '');
  return digest.slice(0, rule.length);
}

/** The vendor's id if no earlier call has it, else a generated one; the same calls always get the same ids. Uniqueness in a conversation is the agent's. */
export function uniqueCallIds(calls: readonly { readonly id: string }[]): readonly string[] {
  if (calls.length === 0) return [];
  const used = new Set<string>();
  // Vendor ids go first: a generated one must not take the id of a later call.
  const kept = calls.map(({ id }) => {
    if (id === '' || used.has(id)) return undefined;
    used.add(id);
    return id;
  });
  let next = 1;
  return kept.map((id) => {
    if (id !== undefined) return id;
    while (used.has(`call_${next}`)) next += 1;
    const generated = `call_${next}`;
    used.add(generated);
    return generated;
  });
}
