import { toolCallsOf } from '@kernel/protocol';
import type { Invocation } from '../invocation.ts';
import { isStreamed } from '../agent/is-streamed.ts';
import type { View } from './view.ts';

/** Creates the view for people and pipes: the answer on stdout, with `--stream` or on a terminal as it arrives, and the notes of `notes` on stderr. */
export function textView(invocation: Pick<Invocation, 'flags' | 'output'>, notes: View): View {
  const { output } = invocation;
  const streams = isStreamed(invocation);
  return {
    event(event) {
      if (streams && event.type === 'text-delta') output.write(event.text);
      // What comes next, a call or another reply, begins on a line of its own.
      const isOver =
        event.type === 'message-end' ? toolCallsOf(event.message).length > 0 : event.type === 'reply-withdrawn';
      if (streams && isOver) output.finish();
      notes.event(event);
    },
    end(end, calls) {
      if (!streams && 'answer' in end) output.write(end.answer ?? '');
      notes.end(end, calls);
    },
  };
}
