import type { ProviderEvent } from '@kernel/protocol';
import { toJson } from './cassette.ts';
import type { Sanitizer } from './sanitizer.ts';

type Delta = Exclude<ProviderEvent, { type: 'message-end' }>;

/**
 * The events of one reply without secrets. A secret that came in pieces is found in what the pieces join to: then all of
 * that text stands in its first piece, and the others are left out. @internal
 */
export function sanitizeEvents(events: readonly ProviderEvent[], sanitizer: Sanitizer): readonly ProviderEvent[] {
  const joined = new Map<string, string>();
  for (const event of events) {
    if (event.type !== 'message-end')
      joined.set(channelOf(event), (joined.get(channelOf(event)) ?? '') + textOf(event));
  }
  const hidden = new Map<string, string>();
  for (const [channel, text] of joined) {
    const clean = sanitizer.text(text);
    if (clean !== text) hidden.set(channel, clean);
  }
  const given = new Set<string>();
  return events.flatMap((event): ProviderEvent[] => {
    // eslint-disable-next-line typescript/no-unsafe-type-assertion -- cleaned, it has the shape that it had
    if (event.type === 'message-end') return [sanitizer.value(toJson(event)) as unknown as ProviderEvent];
    const channel = channelOf(event);
    const clean = hidden.get(channel);
    if (clean === undefined) return [event];
    if (given.has(channel)) return [];
    given.add(channel);
    return [event.type === 'tool-call-delta' ? { ...event, arguments: clean } : { ...event, text: clean }];
  });
}

function channelOf(event: Delta): string {
  return event.type === 'tool-call-delta' ? `call ${event.index}` : event.type;
}

function textOf(event: Delta): string {
  return event.type === 'tool-call-delta' ? event.arguments : event.text;
}
