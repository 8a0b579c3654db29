import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path/posix';
import type { Problem, Rule } from '../lib/problem.ts';
import { linksOf } from '../lib/links.ts';
import { LISTS, requirementRows } from './requirements.ts';

const PAGE = 'docs/guarantees.md';
const ID = /`([a-z]+(?:\.[A-Za-z0-9]+)+)`/g;

/**
 * Guarantees: every promise of `docs/guarantees.md` names a test file and requirements, which are rows of `docs/requirements` that the test file cites. Every
 * file in a command exists.
 */
export const guarantees: Rule = (root) => {
  if (!existsSync(join(root, PAGE))) return [];
  const rows = new Set(requirementRows(root).map(({ id }) => id));
  const lines = readFileSync(join(root, PAGE), 'utf8').split('\n');
  return lines.flatMap((text, index): readonly Problem[] => {
    const problem = (message: string): Problem => ({ rule: 'guarantees', file: PAGE, line: index + 1, message });
    const gone = [...text.matchAll(/\bvitest run (\S+)/g)].filter(([, file = '']) => !existsSync(join(root, file)));
    if (!text.startsWith('| ') || /^\| *(?:promise\b|-)/.test(text))
      return gone.map(([, file]) => problem(`${file} does not exist.`));
    const cell = text.split(' | ').at(-1) ?? '';
    const [proof] = linksOf(cell);
    const ids = [...cell.matchAll(ID)].map(([, id = '']) => id);
    const file = join(root, 'docs', proof?.target ?? '');
    if (proof === undefined || ids.length === 0 || !existsSync(file) || !statSync(file).isFile())
      return [problem('a promise must name a test file and a requirement.')];
    const test = readFileSync(file, 'utf8');
    return ids.flatMap((id) => {
      if (!rows.has(id)) return [problem(`"${id}" is not a row of ${LISTS}.`)];
      return test.includes(`'${id}'`) ? [] : [problem(`${join('docs', proof.target)} does not cite "${id}".`)];
    });
  });
};
