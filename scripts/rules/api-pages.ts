import { HASHES, pageHashes } from '../lib/page-hashes.ts';
import type { Problem, Rule } from '../lib/problem.ts';
import { readText } from '../lib/read-text.ts';

/** API pages: `docs/api` was generated from the current declarations by the current generator, and has not been edited since. */
export const apiPages: Rule = (root) => {
  const kept = linesOf(readText(root, HASHES));
  const now = linesOf(pageHashes(root));
  const names = [...new Set([...kept.keys(), ...now.keys()])].filter((name) => kept.get(name) !== now.get(name));
  return names.map((name): Problem => {
    const what = name.endsWith('.md') ? `docs/api/${name} differs from what was generated` : `the ${name} changed`;
    return { rule: 'api-pages', file: HASHES, message: `${what}. Run: pnpm run docs` };
  });
};

function linesOf(text: string): ReadonlyMap<string, string> {
  const pairs = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line): [string, string] => [line.slice(line.indexOf(' ') + 1), line.slice(0, line.indexOf(' '))]);
  return new Map(pairs);
}
