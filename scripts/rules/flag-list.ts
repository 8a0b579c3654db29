import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FLAG_NAMES } from '../../apps/prompt-agent/src/options/flags.ts';
import { flagLine } from '../../apps/prompt-agent/src/options/help.ts';
import type { Problem, Rule } from '../lib/problem.ts';

const FILE = 'apps/prompt-agent/README.md';
const LIST = /(<!-- flags -->\n\n```text\n)[\s\S]*?(?=```)/;

/** The list of flags in the program's README is that of its help. */
export const flagList: Rule = (root): readonly Problem[] => {
  const text = readFileSync(join(root, FILE), 'utf8');
  if (withList(text) === text && LIST.test(text)) return [];
  return [{ rule: 'flag-list', file: FILE, message: 'its list of flags differs from the help. Run: pnpm tidy:fix' }];
};

/** Writes the list of flags into the program's README. */
export function writeFlagList(root: string): void {
  const text = readFileSync(join(root, FILE), 'utf8');
  if (withList(text) !== text) writeFileSync(join(root, FILE), withList(text));
}

function withList(text: string): string {
  const lines = FLAG_NAMES.map((name) => `${flagLine(name).slice(2)}\n`).join('');
  return text.replace(LIST, (_, head: string) => `${head}${lines}`);
}
