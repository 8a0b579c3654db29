import type { Provider, ProviderEvent } from '@kernel/protocol';
import { describe, test } from 'vitest';
import { providerConformance, scriptedProvider, verifies } from '../src/index.ts';

describe('the scripted provider', () => {
  for (const { name, run } of providerConformance((script) => ({ provider: scriptedProvider(script) })))
    // oxlint-disable-next-line vitest/expect-expect, vitest/valid-title -- the case has both
    test(name, async () => {
      verifies('mocks.provider', 'providers.port');
      await run();
    });
});

/** Replies in the fewest legal events: the whole text in one delta, calls in none, and the end. */
function inFewestEvents(inner: Provider): Provider {
  return {
    ...inner,
    async *stream(request) {
      let text = '';
      let end: ProviderEvent | undefined;
      for await (const event of inner.stream(request)) {
        if (event.type === 'text-delta') text += event.text;
        if (event.type === 'message-end') end = event;
      }
      if (text !== '') yield { type: 'text-delta', text };
      request.signal?.throwIfAborted();
      if (end !== undefined) yield end;
    },
  };
}

describe('a provider whose replies have one delta and an end', () => {
  const make = (script: Parameters<typeof scriptedProvider>[0]): Provider => inFewestEvents(scriptedProvider(script));
  for (const { name, run } of providerConformance((script) => ({ provider: make(script) })))
    // oxlint-disable-next-line vitest/expect-expect, vitest/valid-title -- the case has both
    test(name, async () => {
      verifies('providers.port');
      await run();
    });
});
