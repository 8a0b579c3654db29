/* oxlint-disable vitest/expect-expect -- the suites assert by node:assert */
import type { Provider } from '@kernel/protocol';
import { providerConformance, scriptedProvider, verifies } from '@kernel/testing';
import { describe, test } from 'vitest';
import { type CassetteEntry, replay, withRecorder } from '../../src/cassette/index.ts';
import { withFallback, withRateLimit, withRetry, withUsage } from '../../src/index.ts';
import { all } from '../support.ts';

const WRAPPERS: readonly [string, (inner: Provider) => Provider][] = [
  ['withRetry', (inner) => withRetry(inner)],
  ['withFallback', (inner) => withFallback([inner])],
  ['withRateLimit', (inner) => withRateLimit(inner, { requestsPerMinute: 1000, tokensPerMinute: 1_000_000 })],
  ['withRecorder', (inner) => withRecorder(inner, () => undefined)],
  ['withUsage', (inner) => withUsage(inner)],
  [
    'all of them',
    (inner) =>
      withUsage(
        withRetry(
          withFallback([
            withRateLimit(
              withRecorder(inner, () => undefined),
              { requestsPerMinute: 1000 },
            ),
          ]),
        ),
      ),
  ],
];

describe.each(WRAPPERS)('a provider inside %s is a provider', (_, wrap) => {
  const cases = providerConformance((script) => ({ provider: wrap(scriptedProvider(script)) }));
  test.each(cases)('$name', async ({ run }) => {
    verifies('providers.port', 'providers.stream.end');
    await run();
  });
});

describe('a replayed recording is a provider', () => {
  const cases = providerConformance(async (script) => {
    const first = await record(scriptedProvider(script), script.length);
    return { provider: first };
  });
  // Only the first request is recorded, as often as the script has replies: cases that ask two different things are left out.
  test.each(cases.filter(({ name }) => !/two turns|history with calls/.test(name)))('$name', async ({ run }) => {
    verifies('providers.port', 'providers.stream.end');
    await run();
  });
});

/** A provider that, when it is first asked, records as many replies to that very request and then gives them by replay. */
async function record(inner: Provider, replies: number): Promise<Provider> {
  let replayed: Promise<Provider> | undefined;
  return {
    name: 'recorded',
    async *stream(request) {
      request.signal?.throwIfAborted();
      replayed ??= (async () => {
        const entries: CassetteEntry[] = [];
        const recorder = withRecorder(inner, (entry) => void entries.push(entry));
        for (let at = 0; at < replies; at += 1) await all(recorder.stream({ ...request, signal: undefined }));
        return replay({ version: 1, entries });
      })();
      yield* (await replayed).stream(request);
    },
  };
}
