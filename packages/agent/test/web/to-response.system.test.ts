import { type AgentEvent } from '@kernel/protocol';
import { timeGrowth, verifies } from '@kernel/testing';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { toAgUiResponse, toResponse, toTextResponse, toUiMessageStreamResponse } from '../../src/web/index.ts';
const readerOf = (response: Response): ReadableStreamDefaultReader<Uint8Array> => {
  const reader = response.body?.getReader();
  if (reader === undefined) throw new Error('The response has no body.');
  return reader;
};

afterEach(() => {
  vi.useRealTimers();
});

describe('a slow client', () => {
  test('a client that reads fast gets 10,000 events in linear time', async () => {
    verifies('web.linear');
    const growth = await timeGrowth({
      make: (size): AgentEvent[] => Array.from({ length: size }, () => ({ type: 'text-delta', text: 'abc' })),
      work: async (events) => {
        for (const toBody of [toResponse, toTextResponse, toUiMessageStreamResponse, toAgUiResponse]) {
          async function* all(): AsyncGenerator<AgentEvent> {
            yield* events;
          }
          const reader = readerOf(toBody(all()));
          while (!(await reader.read()).done);
        }
      },
      largest: 10_000,
      doublings: 4,
    });
    expect(growth).toBeLessThan(3);
  });
});
