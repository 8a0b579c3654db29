import { verifies } from '@kernel/testing';
import { KernelError } from '@kernel/protocol';
import { expect, test } from 'vitest';
import { createRegistry, readResultTool, saveRegistry } from '../../src/index.ts';
import { simple } from '../support.ts';

const diskFull = () => {
  throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
};
const results = { keep: diskFull, read: diskFull };

test('a result store that cannot write costs the part that was left out, not the result', async () => {
  verifies('tools.errors.storeFailed');
  const registry = createRegistry([simple('long', {}, () => 'x'.repeat(1000))], { results, resultLimit: 100 });
  const result = await registry.execute('long');
  expect(result.isError).toBeUndefined();
  expect(result.forLLM).toContain('x'.repeat(60));
  expect(result.forLLM).toContain('STORE_FAILED');
  expect(KernelError.is(result.error, 'STORE_FAILED')).toBe(true);
});

test('a result store that cannot be read is STORE_FAILED for the model', async () => {
  verifies('tools.errors.storeFailed');
  const registry = createRegistry([readResultTool(results)]);
  expect(await registry.execute('read_result', { handle: 'a' })).toMatchObject({ isError: true, code: 'STORE_FAILED' });
});

test('a registry file that cannot be written is STORE_FAILED', async () => {
  verifies('tools.errors.storeFailed');
  await expect(saveRegistry(createRegistry(), '/proc/no/such/folder/tools.json')).rejects.toMatchObject({
    code: 'STORE_FAILED',
    message: expect.stringContaining('/proc/no/such/folder/tools.json'),
  });
});
