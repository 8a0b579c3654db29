import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import repository from '../../vitest.config.ts';
import { mutate } from './mutate-source.ts';

const { projects = [] } = repository.test ?? {};
const configs = projects.flatMap((project) => (typeof project === 'object' && 'test' in project ? [project] : []));
/** Puts in the mutant of `MUTANT`, in place of the real source: nothing is written to the tree. */
const plugin = {
  name: 'mutant',
  enforce: 'pre' as const,
  transform: (code: string, id: string): string | undefined => mutate(id.split('?', 1)[0] ?? id, code),
};
const HOOKS = new URL('mutate-modules.ts', import.meta.url).href;

/**
 * The tests that Stryker runs for each mutant, a glob from the root, without the slow ones, which are about speed or
 * chance.
 */
const include = process.env['MUTATION_TESTS'];
const SLOW = ['**/performance/**', '**/*.{slow,system}.test.ts', '**/{soak,suite,inspect-schema,takeover}.test.ts'];
const forStryker = { include: [include ?? ''], exclude: ['**/node_modules/**', ...SLOW] };

export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: {
    // A cached module would be the real one.
    fsModuleCache: false,
    projects: configs.flatMap((project) => {
      if (include !== undefined && project.test?.name !== 'first') return [];
      const { execArgv = [] } = project.test ?? {};
      const hooks = process.env['MUTANT'] === undefined ? [] : [`--import=${HOOKS}`];
      // Through `NODE_OPTIONS`, processes that tests start get it too.
      const env = { ...project.test?.env, ...(hooks.length > 0 && { NODE_OPTIONS: hooks.join(' ') }) };
      const test = { ...project.test, execArgv: [...execArgv, ...hooks], env };
      return [{ ...project, plugins: [plugin], test: include === undefined ? test : { ...test, ...forStryker } }];
    }),
  },
});
