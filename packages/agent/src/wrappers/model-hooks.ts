import {
  type CallContext,
  KernelError,
  type MessageEnd,
  type Provider,
  type ProviderEvent,
  type ProviderRequest,
  wrapProvider,
} from '@kernel/protocol';
import { hookStop } from '../loop/run-end.ts';
import { requestContext } from '../loop/run-scope.ts';

/** What a hook before the model may decide. */
export type BeforeModel =
  /** Sends this request instead. */
  | { readonly action: 'change'; readonly request: ProviderRequest }
  /** Skips the model: this text is its reply. */
  | { readonly action: 'answer'; readonly text: string }
  /** Refuses the request: the run fails with `PROVIDER_REFUSED` and this reason. */
  | { readonly action: 'deny'; readonly reason: string }
  /** Ends the run with reason `handled` and this answer. */
  | { readonly action: 'stop'; readonly answer: string };

/** What a hook after the model may decide. Deltas have been emitted by then: a change affects only the whole message. */
export type AfterModel =
  /** Continues with this reply instead. */
  | { readonly action: 'change'; readonly end: MessageEnd }
  /** Ends the run with reason `handled` and this answer. */
  | { readonly action: 'stop'; readonly answer: string };

/** Hooks around a `Provider`, which get the `context` of the run whose request it is. A hook that returns nothing lets the call pass. */
export interface ModelHooks<Context = unknown> {
  /** Called before each request. */
  readonly beforeModel?:
    | ((request: ProviderRequest, run: Pick<CallContext<Context>, 'context'>) => HookResult<BeforeModel>)
    | undefined;
  /** Called with each whole reply. */
  readonly afterModel?:
    | ((
        end: MessageEnd,
        request: ProviderRequest,
        run: Pick<CallContext<Context>, 'context'>,
      ) => HookResult<AfterModel>)
    | undefined;
}

/** What a hook returns: a decision or nothing, at once or as a promise. */
export type HookResult<T> = T | undefined | void | Promise<T | undefined | void>;

export function withModelHooks(provider: Provider, { beforeModel, afterModel }: ModelHooks): Provider {
  return wrapProvider(provider, {
    async *stream(original) {
      const run = { context: requestContext() };
      const before = await beforeModel?.(original, run);
      if (before?.action === 'stop') throw hookStop(before.answer);
      if (before?.action === 'deny')
        throw new KernelError('PROVIDER_REFUSED', `A hook refused the request: ${before.reason}`);
      const request = before?.action === 'change' ? before.request : original;
      const events = before?.action === 'answer' ? replyWith(before.text, original) : provider.stream(request);
      for await (const event of events) {
        if (event.type !== 'message-end') {
          yield event;
          continue;
        }
        const after = await afterModel?.(event, request, run);
        if (after?.action === 'stop') throw hookStop(after.answer);
        yield after?.action === 'change' ? after.end : event;
      }
    },
  });
}

async function* replyWith(text: string, { model }: ProviderRequest): AsyncGenerator<ProviderEvent> {
  yield { type: 'text-delta', text };
  const message = {
    role: 'assistant',
    content: [{ type: 'text', text }],
    provider: { vendor: 'hook', model },
  } as const;
  yield { type: 'message-end', message, finishReason: 'stop' };
}
