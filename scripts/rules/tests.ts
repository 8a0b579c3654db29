import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Problem, Rule } from '../lib/problem.ts';
import { isFunction, nameOf, nodeAt, parseModule, walkSyntax } from '../lib/syntax.ts';

const FORBIDDEN: readonly (readonly [RegExp, string])[] = [
  [/\bvi\.(?:do)?[mM]ock[(<]/, 'mocks a module. Use a fake of a port.'],
  [/\b(?:test|it|describe)(?:\.\w+)*\.(?:only|skip|todo|fails)\b|[{,]\s*skip: true/, 'is left out or runs alone.'],
  [/[{,]\s*retry: *[1-9]/, 'tries again instead of proving. Use virtual time, a count or a ratio.'],
];

/** What of vitest registers something for the tests that follow. */
const HOOKS = /^(?:before|after|around)(?:All|Each)$|^onTest(?:Finished|Failed)$/;
/** Runs before each file, however many share a process. */
const SETUP = 'test/setup/clean-process.ts';

/**
 * Tests: none mocks a module, runs alone, is tried again or is skipped; `skipIf` is for a platform or data that is absent. No helper registers a
 * hook while it is imported: files of one process import it once, so that only the first of them would have it.
 */
export const tests: Rule = (root) =>
  globSync(
    ['{packages,apps}/*/test/**/*.ts', 'packages/testing/src/**/*.ts', '{examples,scripts,bench,test}/**/*.ts'],
    {
      cwd: root,
      exclude: (name) => name === 'node_modules',
    },
  )
    .toSorted()
    .flatMap((file) => {
      const text = readFileSync(join(root, file), 'utf8');
      const report = (line: number, message: string): Problem => ({ rule: 'tests', file, line, message });
      // The tests of the rules have what is forbidden in texts.
      const isTest = /(?:^|\/)test\//.test(file) && !file.startsWith('scripts/');
      const found = text
        .split('\n')
        .flatMap((line, index) =>
          FORBIDDEN.filter(([pattern]) => isTest && pattern.test(line)).map(([, message]) =>
            report(index + 1, message),
          ),
        );
      if (file.endsWith('.test.ts') || file === SETUP || !text.includes('vitest')) return found;
      return [
        ...found,
        ...importedHooks(text).map((at) =>
          report(
            text.slice(0, at).split('\n').length,
            'registers a hook while it is imported, which holds for one file of a process only. Call it in a function, or use `temporaryFolder`.',
          ),
        ),
      ];
    });

/** Where a module calls a hook outside of every function. */
function importedHooks(text: string): readonly number[] {
  const module = parseModule(text);
  const found: number[] = [];
  const names = new Set<string>();
  walkSyntax(module, (node, around) => {
    if (node.type === 'ImportSpecifier' && HOOKS.test(nameOf(nodeAt(node, 'imported')) ?? ''))
      names.add(nameOf(nodeAt(node, 'local')) ?? '');
    if (node.type !== 'CallExpression' || around.some((outer) => isFunction(outer))) return;
    const callee = nodeAt(node, 'callee');
    const name = nameOf(callee) ?? nameOf(nodeAt(callee, 'property')) ?? '';
    if (names.has(name) || HOOKS.test(name)) found.push(node.start);
  });
  return found;
}
