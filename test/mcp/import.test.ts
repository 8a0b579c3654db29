import { execFileSync } from 'node:child_process';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';

test('importing @kernel/mcp loads neither the SDK nor anything else of another author', () => {
  verifies('architecture.pure');
  const script = `
    import { registerHooks } from 'node:module';
    const loaded = [];
    registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context); } });
    await import('@kernel/mcp');
    process.stdout.write(JSON.stringify(loaded));
  `;
  const options = { encoding: 'utf8', cwd: import.meta.dirname } as const;
  const loaded = JSON.parse(execFileSync(process.execPath, ['--input-type=module', '-e', script], options)) as string[];
  expect(loaded.some((url) => url.endsWith('/packages/mcp/dist/index.js'))).toBe(true);
  expect(loaded.filter((url) => /node_modules/.test(url))).toEqual([]);
});
