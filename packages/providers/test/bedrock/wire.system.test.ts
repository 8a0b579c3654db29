import { spawnSync } from 'node:child_process';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { createProvider } from '../../src/index.ts';
import { errorOf, request } from '../support.ts';
import { withWire } from '../wires.ts';

test('a missing region is named, and credentials that hang end by the connect timeout', async () => {
  verifies('providers.timeouts');
  expect(() => createProvider({ name: 'bedrock' })).toThrow(/region is missing/);
  const credentials = () => new Promise<never>(() => undefined);
  await withWire(
    'bedrock',
    { replies: [] },
    async ({ provider }) => {
      const error = await errorOf(provider.stream(request()));
      expect(error).toMatchObject({ code: 'PROVIDER_TIMEOUT', data: { timeout: 'connectMs' } });
    },
    { credentials, timeouts: { connectMs: 500 } },
  );
});

test('a missing package is PROVIDER_UNSUPPORTED with its name and how to install it', () => {
  verifies('providers.bedrock');
  const hook = `export const resolve = (specifier, context, next) => {
    if (/^@(smithy|aws-sdk)\\//.test(specifier)) throw Object.assign(new Error('gone'), { code: 'ERR_MODULE_NOT_FOUND' });
    return next(specifier, context);
  };`;
  const script = `
    const { register } = await import('node:module');
    register('data:text/javascript,' + encodeURIComponent(${JSON.stringify(hook)}));
    const { createProvider } = await import('@kernel/providers');
    const provider = createProvider({ name: 'bedrock', region: 'us-east-1', token: 'abcd', baseUrl: 'http://127.0.0.1:1' });
    try {
      for await (const event of provider.stream({ model: 'm', messages: [{ role: 'user', content: 'Hi' }] }));
    } catch ({ code, hint }) { console.log(code, hint); }`;
  const run = spawnSync(
    process.execPath,
    ['--no-warnings', '--conditions=@kernel/source', '--input-type=module', '--eval', script],
    { cwd: import.meta.dirname, encoding: 'utf8' },
  );
  expect(run.stdout).toBe('PROVIDER_UNSUPPORTED Install it next to @kernel/providers: npm install @smithy/core\n');
});
