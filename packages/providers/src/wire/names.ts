import { createHash } from 'node:crypto';

/** Names that OpenAI, Anthropic, Mistral and Bedrock take. @internal */
export const PLAIN_NAMES = /^[a-zA-Z0-9_-]{1,64}$/;
/** Names that Gemini takes: they begin with a letter or underscore. @internal */
export const LETTER_FIRST_NAMES = /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/;

const LONGEST_NAME = 64;

/**
 * Maps a tool's name to one that a vendor takes: itself where it is legal, else a legal form of it with a hash of the whole
 * name behind. The same in every turn and one to one, whatever other tools there are. @internal
 */
export function toWireName(name: string, legal: RegExp): string {
  if (legal.test(name)) return name;
  const plain = name.replaceAll(/[^a-zA-Z0-9_-]/g, '_');
  const suffix = `_${createHash('sha256').update(name).digest('hex').slice(0, 8)}`;
  const started = /^[a-zA-Z_]/.test(plain) ? plain : `t_${plain}`;
  return started.slice(0, LONGEST_NAME - suffix.length) + suffix;
}

/** What a vendor takes as the id of a call. @internal */
export interface IdRule {
  readonly legal: RegExp;
  /** How long a made id is. */
  readonly length: number;
}

/** The rules of the wires. @internal */
export const CALL_IDS = {
  any: { legal: /^[\s\S]+$/, length: 24 },
  /** OpenAI refuses ids over 40 characters. */
  upTo40: { legal: /^[\s\S]{1,40}$/, length: 24 },
  /** Mistral takes nothing but nine letters and digits. */
  nine: { legal: /^[a-zA-Z0-9]{9}$/, length: 9 },
  /** Anthropic and Bedrock. */
  plain: { legal: /^[a-zA-Z0-9_-]{1,64}$/, length: 24 },
} as const satisfies Readonly<Record<string, IdRule>>;

/** Maps a call's id to one that a vendor takes: itself where it is legal, else letters and digits made from it, the same each time. @internal */
export function toWireId(id: string, rule: IdRule): string {
  if (rule.legal.test(id)) return id;
  const digest = createHash('sha256')
    .update(id)
    .digest('base64')
    .replaceAll(/[^a-zA-Z0-9]/g, '');
  return digest.slice(0, rule.length);
}
