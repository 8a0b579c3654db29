import type { ProviderEvent } from '@kernel/protocol';
import { toJson } from './cassette.ts';
import type { Sanitizer } from './sanitizer.ts';

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
    // eslint-disable-next-line typescript/no-unsafe-type-assertion -- a sanitized event keeps its shape
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
