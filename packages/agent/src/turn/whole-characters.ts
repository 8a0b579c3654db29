import type { Emit, ProviderEvent } from '@kernel/protocol';

type Delta = Extract<ProviderEvent, { readonly type: 'text-delta' | 'reasoning-delta' | 'tool-call-delta' }>;

/** The events of one reply, without half a character in any delta. */
export interface WholeCharacters {
  /** Emits an event. Half a surrogate pair at the end of a delta waits for the next delta of the same text. */
  readonly emit: Emit;
  /** Emits U+FFFD for each half that still waits, as the message has it; undefined where none does. */
  readonly end: () => Promise<unknown> | undefined;
}

/** Joins characters whose halves come in two deltas: half of one cannot be written as UTF-8, and strict parsers refuse JSON with it. */
export function wholeCharacters(emit: Emit): WholeCharacters {
  const waiting = new Map<string, { readonly half: string; readonly delta: Delta }>();
  return {
    emit(event) {
      if (event.type === 'reply-withdrawn') waiting.clear();
      if (event.type !== 'text-delta' && event.type !== 'reasoning-delta' && event.type !== 'tool-call-delta')
        return emit(event);
      const text: unknown = event.type === 'tool-call-delta' ? event.arguments : event.text;
      if (typeof text !== 'string' || (waiting.size === 0 && text.isWellFormed())) return emit(event);
      const key = event.type === 'tool-call-delta' ? `${event.index}` : event.type;
      const joined = `${waiting.get(key)?.half ?? ''}${text}`;
      const [half] = /[\uD800-\uDBFF]?$/.exec(joined.slice(-1)) ?? [''];
      if (half === '') waiting.delete(key);
      else waiting.set(key, { half, delta: event });
      return emit(withText(event, joined.slice(0, joined.length - half.length).toWellFormed()));
    },
    end() {
      const last = [...waiting.values()].map(async ({ delta }) => emit(withText(delta, '\uFFFD')));
      return last.length === 0 ? undefined : Promise.all(last);
    },
  };
}

function withText(delta: Delta, text: string): Delta {
  return delta.type === 'tool-call-delta' ? { ...delta, arguments: text } : { ...delta, text };
}
