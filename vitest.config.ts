import { readFileSync } from 'node:fs';
import { defineConfig } from 'vitest/config';

// Tests import packages by name; with this condition Node resolves `@kernel/*` to TypeScript source, so no build is needed.
const ON_SOURCE = '--conditions=@kernel/source';

const onSource = [
  'packages/protocol',
  'packages/internal',
  'packages/schema',
  'packages/providers',
  'packages/offline',
  'packages/tools',
  'packages/agent',
  'packages/mcp',
  'packages/code-mode',
  'packages/acp',
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
  'test/acp',
  'test/code-mode',
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

/** One project of this configuration. */
interface Project {
  readonly root: string;
  readonly name: string;
  readonly files?: readonly string[];
  readonly exclude?: readonly string[];
}

/** The files of a package that must not share a process with the others, by what sets them apart. */
const APART: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'packages/providers': {
    // What such a file imports, a file of the others is too, over another transport.
    fetch: 'test/fetch/**/*.test.ts',
    // Counts timers, of which undici shares one among all connections of a process.
    timers: 'test/http/timeouts-off.test.ts',
  },
};

/** Files that `pnpm test` leaves to `pnpm test:all`: they kill processes, try values at random, or need other people's programs. */
const SLOW = 'test/**/*.slow.test.ts';

const setupFile = (file: string): string => new URL(`./test/setup/${file}.ts`, import.meta.url).pathname;

/** Files that count work. Their process has the counter; without optimizing compilers it allocates the same bytes each time. */
const GROWTH = '**/*growth.slow.test.ts';
const growth: Project = {
  root: '.',
  name: 'growth',
  files: [`packages/*/test/${GROWTH}`, `apps/prompt-agent/test/${GROWTH}`],
};
const COUNTER = [
  '--allow-natives-syntax',
  '--no-opt',
  '--no-maglev',
  `--import=${new URL('./test/setup/work-counter.ts', import.meta.url).href}`,
];

const onePackage = [...onSource, ...onBuild].flatMap((root): readonly Project[] => {
  const folder = root.split('/').at(-1) ?? root;
  const name = ['test/acp', 'test/code-mode', 'test/mcp', 'test/durable', 'test/restate'].includes(root)
    ? `${folder}-e2e`
    : folder;
  const hasSlow = readFileSync(new URL(`./${root}/package.json`, import.meta.url), 'utf8').includes(
    `--project ${name}-slow `,
  );
  const apart = { ...(hasSlow ? { slow: SLOW } : {}), ...APART[root] };
  return [
    { root, name, exclude: [...Object.values(apart), GROWTH] },
    ...Object.entries(apart).map(([what, files]) => ({
      root,
      name: `${name}-${what}`,
      files: [files],
      exclude: [GROWTH],
    })),
  ];
});
const projects: readonly Project[] = [...onePackage, growth];

/** The names that the command gives with `--project`. */
const named = process.argv.flatMap((flag, at, flags) => {
  if (flags[at - 1] === '--project') return [flag];
  return flag.startsWith('--project=') ? [flag.slice('--project='.length)] : [];
});

/** The projects of this run: Vitest would set up the others, too, before it leaves them out, which takes a second. Patterns are left to it. */
const chosen = projects.filter(({ name }) => named.length === 0 || named.includes(name));

export default defineConfig({
  test: {
    projects: (named.some((name) => /[*!]/.test(name)) ? projects : chosen).map(
      ({ root, name, files, exclude = [] }) => ({
        root,
        test: {
          name,
          environment: 'node',
          // The files share a process, which starts and loads the packages once instead of for each: nothing in them stays behind.
          isolate: false,
          include: [...(files ?? ['test/**/*.test.ts', '*.test.ts'])],
          exclude: ['**/node_modules/**', '**/dist/**', ...exclude],
          globalSetup: [setupFile('run-folder')],
          setupFiles: ['loopback-only', 'citations', 'clean-process'].map((file) => setupFile(file)),
          execArgv: [
            '--unhandled-rejections=strict',
            ...(onSource.includes(root) || name === growth.name ? [ON_SOURCE] : []),
            ...(name === growth.name ? COUNTER : []),
          ],
          // Node imports the files itself, as it does for a user, and strips their types: to transform all of them costs more than many tests do.
          experimental: { viteModuleRunner: false, nodeLoader: false },
          // Hundreds of processes that tests start load the same code: compiled once, most of them need half of the time.
          env:
            name === growth.name
              ? { NODE_DISABLE_COMPILE_CACHE: '1' }
              : { NODE_COMPILE_CACHE: new URL('./node_modules/.cache/compiled', import.meta.url).pathname },
          // Only to end what hangs: a busy machine may take many times as long as an idle one.
          testTimeout: 240_000,
          hookTimeout: 240_000,
          expect: { poll: { timeout: 60_000 } },
        },
      }),
    ),
  },
});
