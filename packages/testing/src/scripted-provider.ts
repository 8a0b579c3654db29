import {
  type Embedding,
  type EmbedRequest,
  KernelError,
  type Provider,
  type ProviderEvent,
  type ProviderRequest,
  type Transcript,
  type TranscribeRequest,
  type Usage,
} from '@kernel/protocol';
import { toReplyEvents, type ScriptedReply } from './scripted-reply.ts';

/** One step of a script: a reply, a fault to throw, vectors, a transcript, or a function of the request that gives one. */
export type ScriptStep =
  | ScriptedReply
  | ScriptedFault
  | { readonly embeddings: readonly (readonly number[])[]; readonly usage?: Usage }
  | { readonly transcript: string }
  | ((request: ProviderRequest) => ScriptedReply | ScriptedFault);

/** A fault, thrown after the events in `after`. */
export interface ScriptedFault {
  readonly error: Error;
  readonly after?: readonly ProviderEvent[];
}

/** Any request that a scripted provider got. */
export type ScriptedRequest = ProviderRequest | EmbedRequest | TranscribeRequest;

/** A `Provider` that replays a script and records what it was asked. */
export interface ScriptedProvider extends Provider {
  /** Every request, in order. `messages` are as they were when it came. */
  readonly requests: readonly ScriptedRequest[];
  /** The `stream` requests alone. */
  readonly streamRequests: readonly ProviderRequest[];
  /** Throws when steps of the script are left over. Call it at the end of a test. */
  assertDone(): void;
  embed(request: EmbedRequest): Promise<{ readonly embeddings: readonly Embedding[]; readonly usage?: Usage }>;
  transcribe(request: TranscribeRequest): Promise<Transcript>;
}

/** How a script is replayed. */
export interface ScriptedProviderOptions {
  /** Default `scripted`. */
  readonly name?: string | undefined;
  /** Gives the last step to all requests that come after it. */
  readonly repeat?: boolean | undefined;
}

/**
 * Makes a provider that gives the steps of `script` in order, one a request, whatever is asked.
 *
 * Throws `PROVIDER_PROTOCOL` when the script has run out or the next step is of another kind. Aborts as the port says:
 * by throwing `signal.reason`, at every event and while it hangs.
 */
export function scriptedProvider(
  script: readonly ScriptStep[],
  options: ScriptedProviderOptions = {},
): ScriptedProvider {
  const { name = 'scripted', repeat = false } = options;
  const requests: ScriptedRequest[] = [];
  const streamRequests: ProviderRequest[] = [];
  let position = 0;

  const next = (kind: string): ScriptStep => {
    const step = script[repeat ? Math.min(position, script.length - 1) : position];
    if (step === undefined)
      throw new KernelError(
        'PROVIDER_PROTOCOL',
        `The script has ${script.length} steps; a ${kind} request came after the last.`,
        {
          hint: 'Add a step, or find out why there is one more request.',
        },
      );
    position += 1;
    return step;
  };
  const wrongKind = (kind: string, step: object): KernelError =>
    new KernelError(
      'PROVIDER_PROTOCOL',
      `Step ${position} of the script is no ${kind} step: it has ${Object.keys(step).join(', ')}.`,
    );

  return {
    name,
    requests,
    streamRequests,
    async *stream(request) {
      request.signal?.throwIfAborted();
      requests.push(request);
      streamRequests.push(request);
      const given = next('stream');
      const step = typeof given === 'function' ? given(request) : given;
      if ('embeddings' in step || 'transcript' in step) throw wrongKind('stream', step);
      if ('error' in step) {
        yield* step.after ?? [];
        throw step.error;
      }
      yield* toReplyEvents(step, request);
    },
    async embed(request) {
      request.signal?.throwIfAborted();
      requests.push(request);
      const step = next('embed');
      if (typeof step === 'function' || !('embeddings' in step)) throw faultOf(step) ?? wrongKind('embed', step);
      const embeddings = step.embeddings.map((vector, index) => ({ index, vector }));
      return step.usage === undefined ? { embeddings } : { embeddings, usage: step.usage };
    },
    async transcribe(request) {
      request.signal?.throwIfAborted();
      requests.push(request);
      const step = next('transcribe');
      if (typeof step === 'function' || !('transcript' in step)) throw faultOf(step) ?? wrongKind('transcribe', step);
      return { text: step.transcript };
    },
    assertDone() {
      if (position < script.length)
        throw new KernelError(
          'PROVIDER_PROTOCOL',
          `${script.length - position} of ${script.length} steps of the script were not used.`,
        );
    },
  };
}

function faultOf(step: ScriptStep): Error | undefined {
  return typeof step === 'object' && 'error' in step ? step.error : undefined;
}
