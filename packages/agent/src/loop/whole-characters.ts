import type { Emit, ProviderEvent } from '@kernel/protocol';

type Delta = Extract<ProviderEvent, { readonly type: 'text-delta' | 'reasoning-delta' | 'tool-call-delta' }>;

/** The events of one reply, without half a character in any delta. */
export interface WholeCharacters {
  /** Emits an event. Half a surrogate pair at the end of a delta waits for the next delta of the same text. */
  readonly emit: Emit;
  /** Emits U+FFFD for each half of a character that is still held back, as the message has it; undefined if there is none. */
  readonly end: () => Promise<unknown> | undefined;
}

/** Joins characters whose halves come in two deltas: half of one cannot be written as UTF-8, and strict parsers refuse JSON with it. */
export function wholeCharacters(emit: Emit): WholeCharacters {
  let waiting: Map<string, { readonly half: string; readonly delta: Delta }> | undefined;

  function emitWhole(event: Delta, text: string): void | Promise<void> {
    const key = event.type === 'tool-call-delta' ? `${event.index}` : event.type;
    const joined = `${waiting?.get(key)?.half ?? ''}${text}`;
    const [half] = /[\uD800-\uDBFF]?$/.exec(joined.slice(-1)) ?? [''];
    if (half !== '') (waiting ??= new Map()).set(key, { half, delta: event });
    else if (waiting?.delete(key) === true && waiting.size === 0) waiting = undefined;
    return emit(withText(event, joined.slice(0, joined.length - half.length).toWellFormed()));
  }

  return {
    emit(event) {
      let text: unknown;
      if (event.type === 'tool-call-delta') text = event.arguments;
      else if (event.type === 'text-delta' || event.type === 'reasoning-delta') ({ text } = event);
      else {
        if (event.type === 'reply-withdrawn') waiting = undefined;
        return emit(event);
      }
      if (typeof text !== 'string' || (waiting === undefined && text.isWellFormed())) return emit(event);
      return emitWhole(event, text);
    },
    end() {
      if (waiting === undefined) return undefined;
      return Promise.all([...waiting.values()].map(async ({ delta }) => emit(withText(delta, '\uFFFD'))));
    },
  };
}

function withText(delta: Delta, text: string): Delta {
  return delta.type === 'tool-call-delta' ? { ...delta, arguments: text } : { ...delta, text };
}
