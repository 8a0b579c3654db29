import { createRedactor } from '@kernel/internal';
import type { JsonValue } from '@kernel/protocol';

export interface Sanitizer {
  text(text: string): string;
  value(value: JsonValue): JsonValue;
}

const MARK = '[redacted]';
const SECRET_NAMES =
  'authorization|proxy-authorization|cookie|set-cookie|x-api-key|api-key|api_key|apikey|x-goog-api-key|x-amz-security-token|access[-_]?token|refresh[-_]?token|id[-_]?token|token|client[-_]?secret|secret|password';
const SECRET_KEY = new RegExp(`^(?:${SECRET_NAMES})$`, 'i');
/** The same names in text: a header line, or a member of JSON in a string, escaped or not. */
const NAMED_SECRET = new RegExp(`((?:${SECRET_NAMES})\\\\?["']?\\s*[:=]\\s*\\\\?["'])([^"'\\\\]+)`, 'gi');
/** The same and those of signed addresses, in the query of a URL. */
const QUERY_SECRET = new RegExp(`([?&](?:${SECRET_NAMES}|key|auth|signature|sig)=)[^&#\\s"'\\\\]+`, 'gi');
const AUTH_SCHEME = /\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{8,}/g;

export function createSanitizer(secrets: readonly string[]): Sanitizer {
  const redactor = createRedactor(secrets);

  function text(original: string): string {
    return redactor
      .text(original)
      .replace(AUTH_SCHEME, `$1 ${MARK}`)
      .replace(NAMED_SECRET, `$1${MARK}`)
      .replace(QUERY_SECRET, `$1${MARK}`);
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
