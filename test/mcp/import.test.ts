import { execFileSync } from 'node:child_process';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';

test.each([
  ['@kernel/mcp', '/packages/mcp/dist/index.js'],
  ['@kernel/mcp/auth', '/packages/mcp/dist/auth/index.js'],
])('importing %s loads neither the SDK nor anything else of another author', (name, file) => {
  verifies('architecture.pure');
  const script = `
    import { registerHooks } from 'node:module';
    const loaded = [];
    registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context); } });
    await import('${name}');
    process.stdout.write(JSON.stringify(loaded));
  `;
  const options = { encoding: 'utf8', cwd: import.meta.dirname } as const;
  const loaded = JSON.parse(execFileSync(process.execPath, ['--input-type=module', '-e', script], options)) as string[];
  expect(loaded.some((url) => url.endsWith(file))).toBe(true);
  expect(loaded.filter((url) => /node_modules/.test(url))).toEqual([]);
});
