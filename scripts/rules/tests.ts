import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Problem, Rule } from '../lib/problem.ts';
import {
  type Around,
  isFunction,
  nameOf,
  nodeAt,
  nodesAt,
  parseModule,
  type SyntaxNode,
  valueOf,
  walkSyntax,
} from '../lib/syntax.ts';

const FORBIDDEN: readonly (readonly [RegExp, string])[] = [
  [/\bvi\.(?:do)?[mM]ock[(<]/, 'mocks a module. Use a fake of a port.'],
  [/\b(?:test|it|describe)(?:\.\w+)*\.(?:only|skip|todo|fails)\b|[{,]\s*skip: true/, 'is left out or runs alone.'],
  [/[{,]\s*retry: *[1-9]/, 'tries again instead of proving. Use virtual time, a count or a ratio.'],
];

/** What of vitest waits until something is so: a second, unless it is told how long. */
const WAITS = /\bvi\.(?:waitFor|waitUntil)\(/;
/** A busy machine may take many times as long as an idle one: a wait is only to end what hangs. In milliseconds. */
const SHORTEST_WAIT = 30_000;

/** What of vitest registers something for the tests that follow. */
const HOOKS = /^(?:before|after|around)(?:All|Each)$|^onTest(?:Finished|Failed)$/;
const SHORT_WAIT = `waits for less than ${SHORTEST_WAIT / 1000} seconds, in which a busy machine may not get there. Give a timeout of a minute.`;
const IMPORTED_HOOK =
  'registers a hook while it is imported, which holds for one file of a process only. Call it in a function, or use `temporaryFolder`.';
/** Run before each file, however many share a process. */
const SETUP: ReadonlySet<string> = new Set(['test/setup/clean-process.ts', 'test/setup/first-tier.ts']);

/**
 * Tests: none mocks a module, runs alone, is tried again or is skipped; `skipIf` is for a platform or data that is absent. What is waited for has
 * time. No helper registers a hook while it is imported: files of one process import it once, so that only the first of them would have it.
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
      const at = (starts: readonly number[], message: string): readonly Problem[] =>
        starts.map((start) => report(text.slice(0, start).split('\n').length, message));
      const waits = isTest && WAITS.test(text) ? at(shortWaits(text), SHORT_WAIT) : [];
      if (file.endsWith('.test.ts') || SETUP.has(file) || !text.includes('vitest')) return [...found, ...waits];
      return [...found, ...waits, ...at(importedHooks(text), IMPORTED_HOOK)];
    });

/** Where a module waits for less than half a minute. */
function shortWaits(text: string): readonly number[] {
  const found: number[] = [];
  walkSyntax(parseModule(text), (node, around) => {
    const name = nameOf(nodeAt(nodeAt(node, 'callee'), 'property'));
    if (node.type !== 'CallExpression' || (name !== 'waitFor' && name !== 'waitUntil')) return;
    if (waitMs(nodesAt(node, 'arguments')[1], around) < SHORTEST_WAIT) found.push(node.start);
  });
  return found;
}

/** For how long a wait lasts by its options: a number, or an object with `timeout`. In milliseconds. */
function waitMs(options: SyntaxNode | undefined, around: Around): number {
  const value = options && valueOf(options, around);
  const timeout = nodesAt(value, 'properties').find((property) => nameOf(nodeAt(property, 'key')) === 'timeout');
  return Number((timeout === undefined ? value : nodeAt(timeout, 'value'))?.['value'] ?? 0);
}

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
