/* oxlint-disable no-await-in-loop -- one after another is what is tested */
import { spawnSync } from 'node:child_process';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';

test('importing the package loads no undici, opens nothing and starts no timer', () => {
  verifies('architecture.pure');
  const script = `
    const { createProvider } = await import('@kernel/providers');
    createProvider({ name: 'openai', token: 'abcd' });
    const { createRequire } = await import('node:module');
    for (const name of ['anthropic', 'gemini', 'ollama', 'openai-responses']) createProvider({ name });
    createProvider({ name: 'bedrock', region: 'us-east-1' });
    const loaded = Object.keys(createRequire(import.meta.url).cache).filter((path) => /undici|smithy|aws-sdk/.test(path));
    console.log(JSON.stringify({ loaded, active: process.getActiveResourcesInfo().filter((kind) => /TCP|Timeout/.test(kind)) }));`;
  const run = spawnSync(process.execPath, ['--conditions=@kernel/source', '--input-type=module', '--eval', script], {
    cwd: import.meta.dirname,
    encoding: 'utf8',
  });
  expect(run.stderr).toBe('');
  expect(JSON.parse(run.stdout)).toEqual({ loaded: [], active: [] });
});
