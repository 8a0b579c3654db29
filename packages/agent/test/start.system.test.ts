import { type Toolset } from '@kernel/protocol';
import { mockTool, scriptedProvider, verifies } from '@kernel/testing';
import { describe, expect, test } from 'vitest';
import { start } from '../src/index.ts';
import { user } from './support.ts';

const model = 'm';

describe('start', () => {
  describe('a reader that has stalled', () => {
    const stall = async (values: AsyncIterable<unknown>) => {
      const iterator = values[Symbol.asyncIterator]();
      await iterator.next();
      return iterator;
    };

    test('does not hold up the limit of time, whatever the run is about to report', async () => {
      verifies('run.start.stalled');
      const tools: Toolset = {
        list: () => [mockTool('talk', 'said').tool],
        call: async (_call, { onProgress }) => {
          for (let update = 0; update < 200; update += 1) onProgress?.(String(update));
          return { forLLM: 'said' };
        },
      };
      const provider = scriptedProvider([{ calls: [{ name: 'talk' }] }, { text: 'ok' }]);
      const running = start({ provider, model, messages: [user('Go')], tools, limits: { timeMs: 50 } });
      await stall(running.events);
      expect(await running.result).toMatchObject({ reason: 'limit', limit: 'time' });
    });
  });
});
