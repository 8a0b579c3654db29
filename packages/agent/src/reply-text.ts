import { type AgentEvent, textOf, toolCallsOf } from '@kernel/protocol';

export interface ReplyText {
  /** Returns the text that an event adds; empty for most events. */
  add(event: AgentEvent): string;
  /**
   * Returns how many characters of the text an event takes back: those of a reply that is withdrawn, or of an answer that is rejected. Called before
   * `add`.
   */
  voidLength(event: AgentEvent): number;
}

/**
 * Creates what picks the text out of the events of one run: the deltas of its replies, the whole text of a reply that came without deltas, and the
 * answer of a hook. Nothing of agents that run as tools.
 */
export function createReplyText(): ReplyText {
  let length = 0;
  let isAnswer = false;

  function textOfEvent(event: AgentEvent): string {
    switch (event.type) {
      case 'text-delta':
        return event.text;
      case 'message-end':
        return length === 0 ? textOf(event.message) : '';
      case 'run-end':
        return event.reason === 'handled' ? event.answer : ''; // it was never streamed
      default:
        return '';
    }
  }

  return {
    add(event) {
      if (event.type === 'turn-start' || event.type === 'reply-withdrawn') length = 0;
      if (event.type === 'message-end') isAnswer = toolCallsOf(event.message).length === 0;
      const text = textOfEvent(event);
      length += text.length;
      return text;
    },
    // An answer that a call gave is not in the text.
    voidLength: ({ type }) => (type === 'reply-withdrawn' || (type === 'output-rejected' && isAnswer) ? length : 0),
  };
}
