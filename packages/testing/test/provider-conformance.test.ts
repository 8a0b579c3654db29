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
