import { fileURLToPath, pathToFileURL } from 'node:url';
import { defineConfig } from 'vitest/config';

// Tests import packages by name; with this condition Node resolves `@kernel/*` to TypeScript source, so no build is needed.
const ON_SOURCE = '--conditions=@kernel/source';
/**
 * What the second tier may do and the first may not: start processes, wait in real time, kill, try values at random,
 * need other programs.
 */
const SYSTEM = ['system', 'slow'] as const;
/** Files that count work instead of measuring time. */
const GROWTH = '**/*growth.slow.test.ts';
/** Import files of the others over another transport, which needs a process of its own. */
const FETCH = 'packages/providers/test/fetch/**';
/** Counts timers, of which undici shares one among all connections of a process. */
const TIMERS = 'packages/providers/test/http/timeouts-off.system.test.ts';

const setupFile = (file: string): string => fileURLToPath(new URL(`./test/setup/${file}.ts`, import.meta.url));
/** Has the counter in the process; without optimizing compilers it allocates the same bytes each time. */
const COUNTER = [
  '--allow-natives-syntax',
  '--no-opt',
  '--no-maglev',
  `--import=${pathToFileURL(setupFile('work-counter')).href}`,
];

/** Another date and time for the whole process; `.ci/strange-machines` sets it. */
const CLOCK =
  process.env['TEST_CLOCK'] === undefined ? [] : [`--import=${pathToFileURL(setupFile('other-clock')).href}`];

const inFolders = (folders: string, name: string): string => `${folders}/test/**/${name}.test.ts`;
const SOURCES = '{packages/*,scripts}';
const systemFiles = (folders: string): readonly string[] => SYSTEM.map((kind) => inFolders(folders, `*.${kind}`));

/** One project of this configuration. */
interface Project {
  readonly name: string;
  readonly include: readonly string[];
  readonly exclude?: readonly string[];
  /** Whether it tests the sources; otherwise the built packages, as a user would have them. */
  readonly onSource: boolean;
  readonly setup?: readonly string[];
  /** More flags of the process. */
  readonly flags?: readonly string[];
  /** Ends tests that hang; a busy machine may take many times as long as an idle one. Default: 240 s. */
  readonly limitMs?: number;
}

const projects: readonly Project[] = [
  {
    name: 'first',
    include: [inFolders('{packages/*,apps/*,scripts}', '*')],
    exclude: [...systemFiles('**'), FETCH],
    onSource: true,
    setup: ['first-tier'],
    // Most of its code runs a few times: to optimize that takes longer than it saves.
    flags: ['--no-opt'],
    limitMs: 120_000,
  },
  {
    name: 'system',
    include: systemFiles(SOURCES),
    exclude: [GROWTH, FETCH, TIMERS],
    onSource: true,
  },
  { name: 'growth', include: [`{packages,apps}/*/test/${GROWTH}`], onSource: true, flags: COUNTER },
  { name: 'fetch', include: [FETCH], onSource: true },
  { name: 'timers', include: [TIMERS], onSource: true },
  {
    name: 'built',
    include: [...systemFiles('apps/*'), 'examples/test/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: [GROWTH],
    onSource: false,
  },
];

export default defineConfig({
  test: {
    projects: projects.map(
      ({ exclude = [], flags = [], include, limitMs = 240_000, name, onSource, setup = [] }, index) => ({
        test: {
          name,
          environment: 'node',
          // The files share a process, which starts and loads the packages once instead of for each: nothing in them stays behind.
          isolate: false,
          // Files of the second tier mostly wait for processes and servers. Its projects share their workers, so that
          // none waits for the last file of another.
          maxWorkers: index === 0 ? 2 : 4,
          sequence: { groupOrder: Math.min(index, 1) },
          include: [...include],
          exclude: ['**/node_modules/**', '**/dist/**', ...exclude],
          globalSetup: [setupFile('run-folder')],
          setupFiles: [...setup, 'loopback-only', 'citations', 'clean-process'].map((file) => setupFile(file)),
          execArgv: ['--unhandled-rejections=strict', ...(onSource ? [ON_SOURCE] : []), ...CLOCK, ...flags],
          // Node imports the files itself, as it does for a user, and strips their types: to transform all of them costs more than many tests do.
          experimental: { viteModuleRunner: false, nodeLoader: false },
          // Hundreds of processes that tests start load the same code: compiled once, most of them need half of the time.
          env:
            flags === COUNTER
              ? { NODE_DISABLE_COMPILE_CACHE: '1' }
              : { NODE_COMPILE_CACHE: fileURLToPath(new URL('./node_modules/.cache/compiled', import.meta.url)) },
          testTimeout: limitMs,
          hookTimeout: limitMs,
          expect: { poll: { timeout: 60_000 } },
        },
      }),
    ),
  },
});
