import { verifies } from '@kernel/testing';
import { describe, expect, test } from 'vitest';
import { createProvider } from '../../src/index.ts';
import { resolveLimits } from '../../src/http/limits.ts';
import { endOf, errorOf, request } from '../support.ts';
import { WIRES, withWire } from '../wires.ts';

const LONG = { replies: () => ({ text: 'x'.repeat(5000) }) };

describe.each(WIRES)('the wire %s', (wire) => {
  test.each([
    ['responseBytes', true],
    ['responseBytes', false],
    ['lineLength', true],
  ] as const)('a reply over limits.%s ends in an error that names the option (stream: %s)', async (limit, stream) => {
    verifies('providers.limits');
    await withWire(
      wire,
      LONG,
      async ({ provider, server }) => {
        const error = await errorOf(provider.stream(request({ stream })));
        expect(error).toMatchObject({ code: 'PROVIDER_PROTOCOL', data: { limit: 1000, option: `limits.${limit}` } });
        expect(error.message).toContain(`limits.${limit}: 1000`);
        expect(server.requests).toHaveLength(1);
      },
      { limits: { [limit]: 1000 } },
    );
  });

  test('limits that are large enough, and none, change nothing', async () => {
    for (const limits of [
      { responseBytes: 1_000_000, lineLength: 100_000 },
      { responseBytes: Infinity, lineLength: Infinity },
    ]) {
      // oxlint-disable-next-line no-await-in-loop -- one server after another
      await withWire(
        wire,
        LONG,
        async ({ provider }) => {
          const { message } = await endOf(provider.stream(request()));
          expect(JSON.stringify(message)).toContain('x'.repeat(5000));
        },
        { limits },
      );
    }
  });
});

test('a limit that is not a whole number from 1 is refused before anything is loaded', () => {
  verifies('providers.limits');
  for (const value of [0, -1, 1.5, Number.NaN, '8' as unknown as number])
    for (const limit of ['responseBytes', 'lineLength'])
      expect(() => createProvider({ name: 'openai', limits: { [limit]: value } })).toThrow(
        expect.objectContaining({ code: 'CONFIG_INVALID', message: `limits.${limit} is ${value}.` }),
      );
  expect(resolveLimits()).toEqual({ responseBytes: 32 * 1024 * 1024, lineLength: 8 * 1024 * 1024 });
});
