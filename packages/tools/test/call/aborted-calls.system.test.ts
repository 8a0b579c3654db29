import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { createRegistry } from '../../src/index.ts';
import { simple } from '../support.ts';

test('a call that is aborted before another attempt says how the last one ended, not that it never started', async () => {
  verifies('tools.execute.abort.truth');
  const stop = new AbortController();
  let entered = 0;
  const fails = (): never => {
    entered += 1;
    throw Object.assign(new Error('try again'), { retryable: true });
  };
  const registry = createRegistry([simple('load', { effect: 'read' }, fails)], { retries: 1 });
  const beforeHandler = async (): Promise<void> => {
    if (entered > 0) stop.abort();
  };
  const call = { type: 'tool-call', id: '1', name: 'load', arguments: '{}' } as const;
  const result = await registry.call(call, { signal: stop.signal, beforeHandler });
  expect([entered, result.forLLM]).toEqual([1, 'TOOL_FAILED: "load" failed: try again']);
});
