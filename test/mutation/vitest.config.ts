import { defineConfig } from 'vitest/config';
import repository from '../../vitest.config.ts';
import { mutate } from './mutate-source.ts';

/** The project that is run, with the source of a mutant in place of the real one: nothing is written to the tree. */
const name = process.env['MUTATED_PROJECT'];
const { projects = [] } = repository.test ?? {};
const configs = projects.flatMap((project) => (typeof project === 'object' && 'test' in project ? [project] : []));
const mutated = configs.find(({ test }) => test?.name === name);
const plugin = {
  name: 'mutant',
  enforce: 'pre' as const,
  transform: (code: string, id: string): string | undefined => mutate(id.split('?', 1)[0] ?? id, code),
};

/**
 * The tests that Stryker runs for each mutant, a glob in the package, without the slow ones, which are about
 * speed or chance.
 */
const include = process.env['MUTATION_TESTS'];
const SLOW = ['**/performance/**', '**/*.slow.test.ts', '**/{soak,suite,inspect-schema,slow-values,takeover}.test.ts'];
const forStryker = {
  include: [include ?? ''],
  exclude: ['**/node_modules/**', ...SLOW],
};

export default defineConfig({
  test: {
    // A cached module would be the real one.
    fsModuleCache: false,
    // Some files of a package may be a project of their own.
    projects: configs.flatMap((project) => {
      if (project.root !== mutated?.root || (include !== undefined && project !== mutated)) return [];
      return [
        { ...project, plugins: [plugin], test: { ...project.test, ...(include === undefined ? {} : forStryker) } },
      ];
    }),
  },
});
