import type { JsonValue } from '@kernel/protocol';
import { createRedactor } from '../http/redact.ts';

/** Takes secrets out of what is to be written down. */
export interface Sanitizer {
  text(text: string): string;
  /** A copy with every text cleaned, and every text under a key that names a credential hidden. */
  value(value: JsonValue): JsonValue;
}

const MARK = '[redacted]';
const NAMES =
  'authorization|proxy-authorization|cookie|set-cookie|x-api-key|api-key|api_key|apikey|x-goog-api-key|x-amz-security-token|access[-_]?token|refresh[-_]?token|id[-_]?token|token|client[-_]?secret|secret|password';
const SECRET_KEY = new RegExp(`^(?:${NAMES})$`, 'i');
/** The same names in text: a header line, or a member of JSON in a string, escaped or not. */
const NAMED_IN_TEXT = new RegExp(`((?:${NAMES})\\\\?["']?\\s*[:=]\\s*\\\\?["'])([^"'\\\\]+)`, 'gi');
/** Keys of the usual vendors, and header values, wherever they stand. */
const SHAPES: readonly RegExp[] = [
  /\bsk-[A-Za-z0-9_-]{16,}/g,
  /\bAIza[A-Za-z0-9_-]{30,}/g,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g,
  /\bgh[pousr]_[A-Za-z0-9]{30,}/g,
  /\bxox[abprs]-[A-Za-z0-9-]{10,}/g,
  /\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}/g,
];
const SCHEME = /\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{8,}/g;

/** Creates a sanitizer that knows these secrets, the usual shapes of keys and the usual names of what holds one. @internal */
export function createSanitizer(secrets: readonly string[]): Sanitizer {
  const redactor = createRedactor();
  for (const secret of secrets) redactor.add(secret);

  function text(dirty: string): string {
    let clean = redactor.redact(dirty);
    for (const shape of SHAPES) clean = clean.replace(shape, MARK);
    return clean.replace(SCHEME, `$1 ${MARK}`).replace(NAMED_IN_TEXT, `$1${MARK}`);
  }

  function value(item: JsonValue): JsonValue {
    if (typeof item === 'string') return text(item);
    if (typeof item !== 'object' || item === null) return item;
    if (Array.isArray(item)) return item.map(value);
    return Object.fromEntries(
      Object.entries(item).map(([key, member]) => [
        key,
        typeof member === 'string' && SECRET_KEY.test(key) ? MARK : value(member),
      ]),
    );
  }

  return { text, value };
}
