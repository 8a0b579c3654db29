import {
  type Embedding,
  type EmbedRequest,
  KernelError,
  type Provider,
  type ProviderEvent,
  type ProviderRequest,
  type StructuredOutput,
  type TranscribeRequest,
  type Transcript,
  type Usage,
} from '@kernel/protocol';
import { toReplyEvents, type ScriptedReply } from './scripted-reply.ts';

/** One step of a script: a reply, an error to throw, vectors, a transcript, or a function of the request that returns a step. */
export type ScriptStep =
  | ScriptedReply
  | ScriptedFault
  /** Vectors, for `embed`. */
  | { readonly embeddings: readonly (readonly number[])[]; readonly usage?: Usage }
  /** A transcript, for `transcribe`. */
  | { readonly transcript: string }
  | ((request: ProviderRequest) => ScriptedReply | ScriptedFault);

/** An error to throw. */
export interface ScriptedFault {
  /** What is thrown. */
  readonly error: Error;
  /** The events before it. */
  readonly after?: readonly ProviderEvent[];
}

/** Any request that a scripted provider received. */
export type ScriptedRequest = ProviderRequest | EmbedRequest | TranscribeRequest;

/** A `Provider` that replays a script and records its requests. */
export interface ScriptedProvider extends Provider {
  /** Every request, in order, with `messages` as they were when it arrived. */
  readonly requests: readonly ScriptedRequest[];
  /** Only the `stream` requests. */
  readonly streamRequests: readonly ProviderRequest[];
  /** Throws if steps of the script are left over. Call it at the end of a test. */
  assertDone(): void;
  /** Returns the vectors of the next step. */
  embed(request: EmbedRequest): Promise<{
    /** One for each vector of the step, in order. */
    readonly embeddings: readonly Embedding[];
    /** The tokens, if the step has them. */
    readonly usage?: Usage;
  }>;
  /** Returns the transcript of the next step. */
  transcribe(request: TranscribeRequest): Promise<Transcript>;
}

/** How a script is replayed. */
export interface ScriptedProviderOptions {
  /** The name of the provider. Default `scripted`. */
  readonly name?: string | undefined;
  /** Repeats the last step for all further requests. Default false. */
  readonly repeat?: boolean | undefined;
  /** How models are constrained to a schema. Default: by a tool, as for any provider that does not say. */
  readonly structuredOutput?: StructuredOutput | undefined;
}

/**
 * Creates a provider that replays the steps of `script` in order, one for each request, whatever is asked.
 *
 * Throws `PROVIDER_PROTOCOL` when the script is exhausted or the next step is of another kind. Aborts as the port requires: by throwing
 * `signal.reason`, between events and while it hangs.
 *
 * @example
 * ```ts
 * import { collect, run } from '@kernel/agent';
 * import { scriptedProvider } from '@kernel/testing';
 *
 * const provider = scriptedProvider([{ calls: [{ name: 'clock', arguments: {} }] }, { text: 'It is noon.' }]);
 * await collect(run({ provider, model: 'any', messages: [{ role: 'user', content: 'What time is it?' }] }));
 * provider.assertDone();
 * ```
 */
export function scriptedProvider(
  script: readonly ScriptStep[],
  options: ScriptedProviderOptions = {},
): ScriptedProvider {
  const { name = 'scripted', repeat = false, structuredOutput } = options;
  const requests: ScriptedRequest[] = [];
  const streamRequests: ProviderRequest[] = [];
  let position = 0;

  const next = (kind: string): ScriptStep => {
    const step = script[repeat ? Math.min(position, script.length - 1) : position];
    if (step === undefined)
      throw new KernelError(
        'PROVIDER_PROTOCOL',
        `The script has ${script.length} steps; a ${kind} request arrived after the last one.`,
        {
          hint: 'Add a step, or find out why there is another request.',
        },
      );
    position += 1;
    return step;
  };
  const wrongKind = (kind: string, step: object): KernelError =>
    new KernelError(
      'PROVIDER_PROTOCOL',
      `Step ${position} of the script is not a ${kind} step: it has ${Object.keys(step).join(', ')}.`,
    );

  return {
    name,
    ...(structuredOutput === undefined ? {} : { structuredOutput: () => structuredOutput }),
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
