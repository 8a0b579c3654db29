import {
  KernelError,
  type MessageEnd,
  type Provider,
  type ProviderEvent,
  type ProviderRequest,
} from '@kernel/protocol';
import { handledRun } from '../loop/hook-stop.ts';

/** What a hook before the model may say. */
export type BeforeModel =
  | { readonly action: 'change'; readonly request: ProviderRequest }
  | { readonly action: 'answer'; readonly text: string }
  | { readonly action: 'deny'; readonly reason: string }
  | { readonly action: 'stop'; readonly answer: string };

/** What a hook after the model may say. Deltas have gone out by then; a change concerns the whole message. */
export type AfterModel =
  | { readonly action: 'change'; readonly end: MessageEnd }
  | { readonly action: 'stop'; readonly answer: string };

/** Hooks round a `Provider`. Nothing returned means: go on. */
export interface ModelHooks {
  readonly beforeModel?: ((request: ProviderRequest) => Verdict<BeforeModel>) | undefined;
  readonly afterModel?: ((end: MessageEnd, request: ProviderRequest) => Verdict<AfterModel>) | undefined;
}

/** What a hook returns: a decision, or nothing, now or later. */
export type Verdict<T> = T | undefined | void | Promise<T | undefined | void>;

/** Puts hooks round a provider's `stream`; `embed` and `transcribe` go through. */
export function withModelHooks(provider: Provider, { beforeModel, afterModel }: ModelHooks): Provider {
  return {
    ...provider,
    async *stream(asked) {
      const before = await beforeModel?.(asked);
      if (before?.action === 'stop') throw handledRun(before.answer);
      if (before?.action === 'deny')
        throw new KernelError('PROVIDER_REFUSED', `A hook refused the request: ${before.reason}`);
      const request = before?.action === 'change' ? before.request : asked;
      const events = before?.action === 'answer' ? answerInPlace(before.text, asked) : provider.stream(request);
      for await (const event of events) {
        if (event.type !== 'message-end') {
          yield event;
          continue;
        }
        const after = await afterModel?.(event, request);
        if (after?.action === 'stop') throw handledRun(after.answer);
        yield after?.action === 'change' ? after.end : event;
      }
    },
  };
}

async function* answerInPlace(text: string, { model }: ProviderRequest): AsyncGenerator<ProviderEvent> {
  yield { type: 'text-delta', text };
  const message = {
    role: 'assistant',
    content: [{ type: 'text', text }],
    provider: { vendor: 'hook', model },
  } as const;
  yield { type: 'message-end', message, finishReason: 'stop' };
}
