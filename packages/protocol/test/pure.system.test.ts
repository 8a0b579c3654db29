import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { verifies } from '../../testing/src/verifies.ts';

function loadedBy(entry: string): string[] {
  const url = new URL(entry, import.meta.url).href;
  const script = `
    import { registerHooks } from 'node:module';
    const loaded = [];
    registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context); } });
    await import(${JSON.stringify(url)});
    console.log(JSON.stringify(loaded));
  `;
  const output = execFileSync(process.execPath, ['--conditions=@kernel/source', '--input-type=module', '-e', script], {
    encoding: 'utf8',
  });
  return JSON.parse(output) as string[];
}

// `@kernel/internal` is bundled into what is published.
test('importing the root loads nothing but its own files, and only the schemas load zod', () => {
  verifies('architecture.pure');
  const root = loadedBy('../src/index.ts');
  expect(root.length).toBeGreaterThan(1);
  expect(root.filter((url) => url.includes('node_modules') || url.startsWith('node:'))).toEqual([]);
  expect(loadedBy('../src/schemas/index.ts').some((url) => url.includes('/zod/'))).toBe(true);
});
