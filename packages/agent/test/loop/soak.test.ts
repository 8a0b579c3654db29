import { getEventListeners } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { mockTool, mockToolset, scriptedProvider, verifies } from '@kernel/testing';
import { expect, onTestFinished, test } from 'vitest';
import { collect, run } from '../../src/index.ts';
import { user } from '../support.ts';

test(
  '10,000 calls on one signal leave no listener, cause no warning, and keep memory flat after the first 1,000',
  { timeout: 240_000 },
  async () => {
    verifies('architecture.clean');
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    const warnings: Error[] = [];
    const listen = (warning: Error): void => void warnings.push(warning);
    process.on('warning', listen);
    onTestFinished(() => void process.off('warning', listen));
    const { signal } = new AbortController();
    const hundred = Array.from({ length: 100 }, () => ({ name: 'a' }));
    const thousand = async (): Promise<number> => {
      for (let round = 0; round < 10; round += 1) {
        const provider = scriptedProvider([{ calls: hundred }, { text: 'ok' }]);
        const tools = mockToolset([mockTool('a', () => 'x'.repeat(1000))]);
        const result = await collect(run({ provider, model: 'm', messages: [user('Go')], tools, signal }));
        expect(result.toolCalls).toHaveLength(100);
      }
      collectGarbage();
      return process.memoryUsage().heapUsed;
    };
    const first = await thousand();
    let last = first;
    for (let round = 1; round < 10; round += 1) last = await thousand();
    expect(last - first).toBeLessThan(4 * 1024 * 1024);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
    await new Promise(setImmediate);
    expect(warnings).toEqual([]);
  },
);
