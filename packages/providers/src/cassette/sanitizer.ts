import { createRedactor } from '@kernel/internal';
import type { JsonValue, ProviderEvent } from '@kernel/protocol';

const MARK = '[redacted]';
const SECRET_NAMES =
  'authorization|proxy-authorization|cookie|set-cookie|x-api-key|api-key|api_key|apikey|x-goog-api-key|x-amz-security-token|access[-_]?token|refresh[-_]?token|id[-_]?token|token|client[-_]?secret|secret|password';
const SECRET_KEY = new RegExp(`^(?:${SECRET_NAMES})$`, 'i');
/** The same names in text: a header line, or a member of JSON in a string, escaped or not. */
const NAMED_SECRET = new RegExp(`((?:${SECRET_NAMES})\\\\?["']?\\s*[:=]\\s*\\\\?["'])([^"'\\\\]+)`, 'gi');
/** The same and those of signed addresses, in the query of a URL. */
const QUERY_SECRET = new RegExp(`([?&](?:${SECRET_NAMES}|key|auth|signature|sig)=)[^&#\\s"'\\\\]+`, 'gi');
const AUTH_SCHEME = /\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{8,}/g;

export function createSanitizer(secrets: readonly string[]) {
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

export type Sanitizer = ReturnType<typeof createSanitizer>;

export function toJson(value: unknown): JsonValue {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- JSON.parse returns JSON
  return JSON.parse(JSON.stringify(value)) as JsonValue;
}

type Delta = Extract<ProviderEvent, { type: 'text-delta' | 'reasoning-delta' | 'tool-call-delta' }>;

/** A secret that was split across deltas is found in their joined text, which then becomes the first delta; the others are left out. */
export function sanitizeEvents(events: readonly ProviderEvent[], sanitizer: Sanitizer): readonly ProviderEvent[] {
  const last = events.findLastIndex((event) => event.type === 'reply-withdrawn');
  if (last === -1) return sanitizeAttempt(events, sanitizer);
  return [...sanitizeEvents(events.slice(0, last), sanitizer), ...sanitizeAttempt(events.slice(last), sanitizer)];
}

/** The same for events of which only the first may withdraw what came before. */
function sanitizeAttempt(events: readonly ProviderEvent[], sanitizer: Sanitizer): readonly ProviderEvent[] {
  const joined = new Map<string, string>();
  for (const event of events) {
    if (isDelta(event)) joined.set(channelOf(event), (joined.get(channelOf(event)) ?? '') + textOf(event));
  }
  const sanitized = new Map<string, string>();
  for (const [channel, text] of joined) {
    const clean = sanitizer.text(text);
    if (clean !== text) sanitized.set(channel, clean);
  }
  const emitted = new Set<string>();
  return events.flatMap((event): ProviderEvent[] => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a sanitized event keeps its shape
    if (!isDelta(event)) return [sanitizer.value(toJson(event)) as unknown as ProviderEvent];
    const channel = channelOf(event);
    const clean = sanitized.get(channel);
    if (clean === undefined) return [event];
    if (emitted.has(channel)) return [];
    emitted.add(channel);
    return [event.type === 'tool-call-delta' ? { ...event, arguments: clean } : { ...event, text: clean }];
  });
}

function isDelta(event: ProviderEvent): event is Delta {
  return event.type === 'text-delta' || event.type === 'reasoning-delta' || event.type === 'tool-call-delta';
}

function channelOf(event: Delta): string {
  return event.type === 'tool-call-delta' ? `call ${event.index}` : event.type;
}

function textOf(event: Delta): string {
  return event.type === 'tool-call-delta' ? event.arguments : event.text;
}
