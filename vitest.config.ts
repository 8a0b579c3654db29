import { defineConfig } from 'vitest/config';

// Tests import packages by name; this condition makes `@kernel/*` resolve to TypeScript source, so no build is needed.
// The others are Node's own: a package that has a bundler's build under `module` is loaded as Node would load it.
const conditions = ['@kernel/source', 'node', 'development|production'];

const onSource = [
  'packages/protocol',
  'packages/internal',
  'packages/schema',
  'packages/providers',
  'packages/offline',
  'packages/tools',
  'packages/agent',
  'packages/mcp',
  'packages/durable',
  'packages/restate',
  'packages/toolbox',
  'packages/testing',
  'scripts',
];

// These run the built packages, as a user would have them: their `test` task depends on `^build`.
const onBuild = [
  'apps/prompt-agent',
  'examples',
  'test/coming-from',
  'test/durable',
  'test/e2e',
  'test/engines',
  'test/mcp',
  'test/restate',
  'test/runtimes',
  'test/sdks',
  'test/soak',
];

// Their files share a process, which starts and loads the packages once instead of for each: nothing in them stays behind.
const inOneProcess = new Set(['packages/schema', 'packages/tools', 'packages/agent', 'scripts']);

export default defineConfig({
  test: {
    projects: [...onSource, ...onBuild].map((root) => ({
      root,
      ...(onSource.includes(root) ? { resolve: { conditions }, ssr: { resolve: { conditions } } } : {}),
      test: {
        name: ['test/mcp', 'test/durable', 'test/restate'].includes(root)
          ? `${root.slice(5)}-e2e`
          : (root.split('/').at(-1) ?? root),
        environment: 'node',
        isolate: !inOneProcess.has(root),
        include: ['test/**/*.test.ts', '*.test.ts'],
        exclude: ['**/node_modules/**', '**/dist/**'],
        setupFiles: ['loopback-only', 'citations'].map(
          (name) => new URL(`./test/setup/${name}.ts`, import.meta.url).pathname,
        ),
        execArgv: ['--unhandled-rejections=strict'],
        // Hundreds of processes that tests start load the same code: compiled once, most of them need half of the time.
        env: { NODE_COMPILE_CACHE: new URL('./node_modules/.cache/compiled', import.meta.url).pathname },
        // Only to end what hangs: a busy machine may take many times as long as an idle one.
        testTimeout: 240_000,
        hookTimeout: 240_000,
        expect: { poll: { timeout: 60_000 } },
      },
    })),
  },
});
