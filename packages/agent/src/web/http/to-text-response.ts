import { type AgentEvent, KernelError, toolCallsOf } from '@kernel/protocol';
import { flatMapAsync } from '../../iteration/flat-map-async.ts';
import { toByteStream } from './byte-stream.ts';
import { createClientView } from '../client-view/client-view.ts';

/** How the text of a run becomes a response. */
export interface ToTextResponseOptions {
  /** Ends the response and the iteration, for servers that do not cancel responses: pass the signal of the request. */
  readonly signal?: AbortSignal | undefined;
  /** Headers to add. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/**
 * Creates a response of plain text: that of the run's own replies as it arrives, nothing of sub-agents. A typed answer that a call gave is its JSON.
 *
 * Text has no way to say that something went wrong, so the stream itself fails, and the client sees a broken connection: when the run ends with
 * reason `error`, when the events throw, and when a reply is withdrawn, or a typed answer rejected, of which text was sent already. A run that was cut
 * by a limit or its length ends the text as it is.
 */
export function toTextResponse(events: AsyncIterable<AgentEvent>, options: ToTextResponseOptions = {}): Response {
  const { signal, headers } = options;
  const view = createClientView(new Set());
  let isVoid = false;
  let hasText = false;
  let isAnsweredByCall = false;
  const texts = flatMapAsync<AgentEvent, string>(events, {
    map: (event) => {
      if (event.type === 'run-end' && event.reason === 'error') throw event.error;
      if (event.type === 'turn-start') hasText = false;
      if (event.type === 'message-end') isAnsweredByCall = toolCallsOf(event.message).length > 0;
      if (event.type === 'reply-withdrawn') isVoid = hasText;
      if (event.type === 'output-rejected') isVoid = hasText && !isAnsweredByCall;
      if (isVoid)
        throw new KernelError('PROVIDER_PROTOCOL', 'A reply was withdrawn or rejected after its text had been sent.');
      if (event.type === 'run-end' && event.reason === 'done' && 'output' in event && isAnsweredByCall)
        return event.answer === '' ? [] : [event.answer];
      const text = view(event)
        .map((seen) => (seen.type === 'text-delta' ? seen.text : ''))
        .join('');
      hasText ||= text !== '';
      return text === '' ? [] : [text];
    },
  });
  const body = toByteStream(texts, { heartbeatMs: 0, signal });
  return new Response(body, {
    headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-cache, no-transform', ...headers },
  });
}
