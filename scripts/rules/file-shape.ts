import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Problem, Rule } from '../lib/problem.ts';
import { sourceFiles } from '../lib/projects.ts';

/** The most lines that a source file may have: one idea fits. */
export const MAX_LINES = 250;

const SILENCED = /@ts-(?:ignore|nocheck)/;
const ANY = /(?::|\bas|<|,|\|)\s*any\b(?=\s*(?:[;,)>\]|=&{]|\[\]|$))/m;
const STUB = /\b(?:TODO|FIXME|XXX)\b|not implemented/i;

/** Files: at most `MAX_LINES` lines, kebab-case names, an `index.ts` that only exports, no `any`, no silenced check, no stub. */
export const fileShape: Rule = (root) => sourceFiles(root).flatMap((file) => checkFile(root, file));

function checkFile(root: string, file: string): readonly Problem[] {
  const text = readFileSync(join(root, file), 'utf8');
  const lines = text.split('\n');
  const problems: Problem[] = [];
  const report = (message: string, line?: number): void => {
    problems.push({ rule: 'file-shape', file, message, ...(line === undefined ? {} : { line }) });
  };
  const count = lines.at(-1) === '' ? lines.length - 1 : lines.length;
  if (count > MAX_LINES) report(`${count} lines; at most ${MAX_LINES}. Split it by idea.`);
  if (!/^[a-z0-9]+(?:-[a-z0-9]+)*(?:\.d)?\.ts$/.test(basename(file))) report('its name is not kebab-case.');
  for (const [index, line] of lines.entries()) {
    const code = line.replace(/\/\/.*$|^\s*\/?\*.*$/, '').replaceAll(/'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"/g, "''");
    if (ANY.test(code)) report('`any` switches the checks off. Use `unknown` and narrow it.', index + 1);
    if (SILENCED.test(line)) report('a silenced check. Fix the type instead.', index + 1);
    if (STUB.test(line)) report('the words of a stub. Finish it.', index + 1);
  }
  if (basename(file) === 'index.ts' && file.split('/').length === 4 && !onlyExports(text))
    report('an index.ts of a package only exports.');
  return problems;
}

function onlyExports(text: string): boolean {
  const rest = text
    .replaceAll(/\/\*[\s\S]*?\*\//g, '')
    .replaceAll(/^\/\/.*$/gm, '')
    .replaceAll(/export\s+(?:type\s+)?(?:\*(?:\s+as\s+\w+)?|\{[^}]*\})\s+from\s+'[^']+';/g, '');
  return rest.trim() === '';
}
