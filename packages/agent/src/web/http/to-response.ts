import { type AgentEvent } from '@kernel/protocol';
import { logPositionOf } from '../../session/log-position.ts';
import { flatMapAsync } from '../../iteration/flat-map-async.ts';
import type { ClientEventsOptions } from '../client-view/client-events.ts';
import { shownFields } from '../client-view/client-field.ts';
import { thrownToClientError } from '../client-view/client-values.ts';
import { createClientView } from '../client-view/client-view.ts';
import { checkResumePoint, replay, type ResumePoint } from './resume.ts';
import { checkHeartbeat, type SseOptions, sseResponse, toFrame } from './sse.ts';

/** How a run becomes a response. */
export interface ToResponseOptions extends ClientEventsOptions, SseOptions {
  /** Where the client left off: what the session has beyond it is sent first. See `resumeFrom`. */
  readonly resume?: ResumePoint | undefined;
}

/**
 * Creates a response of server-sent events: one for each `ClientEvent` of the run, as JSON.
 *
 * An event is read when the client is ready for it. A client that disconnects stops the iteration, which aborts the run. The events of `runSession`
 * have ids: how many messages the log had when they were emitted. An error that the events throw becomes one event of type `error`, the last one.
 * Throws `CONFIG_INVALID` immediately for unknown options.
 *
 * @example
 * ```ts
 * import { run } from '@kernel/agent';
 * import { toResponse } from '@kernel/agent/web';
 * import { createProvider } from '@kernel/providers';
 *
 * export async function POST(request: Request): Promise<Response> {
 *   const messages = [{ role: 'user', content: await request.text() }] as const;
 *   return toResponse(run({ provider: createProvider({ name: 'ollama' }), model: 'qwen3', messages, signal: request.signal }));
 * }
 * ```
 */
export function toResponse(events: AsyncIterable<AgentEvent>, options: ToResponseOptions = {}): Response {
  const { show, resume } = options;
  const shown = shownFields('toResponse', show);
  checkHeartbeat('toResponse', options);
  if (resume !== undefined) checkResumePoint('toResponse', resume);
  const view = createClientView(shown);
  let position: number | undefined;

  const frames = flatMapAsync<AgentEvent, string>(events, {
    first:
      resume &&
      (async () => (await replay(resume, shown)).map(({ event, position: at }) => toFrame(event, (position = at)))),
    map: (event) => {
      position = logPositionOf(event) ?? position;
      const frame = view(event)
        .map((seen) => toFrame(seen, position))
        .join('');
      return frame === '' ? [] : [frame];
    },
    fail: (error) => [toFrame({ type: 'error', ...thrownToClientError(error, shown) })],
  });
  return sseResponse(frames, options);
}
