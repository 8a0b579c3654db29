import { globSync, readFileSync } from 'node:fs';
import { basename, join, sep } from 'node:path';
import type { Problem, Rule } from '../lib/problem.ts';
import { sourceFiles } from '../lib/projects.ts';

/** The most lines that a source file may have: one idea fits. */
export const MAX_LINES = 250;

const SILENCED = /@ts-(?:ignore|nocheck)/;
const ANY = /(?::|\bas|<|,|\|)\s*any\b(?=\s*(?:[;,)>\]|=&{]|\[\]|$))/m;
const STUB = /\b(?:TODO|FIXME|XXX)\b|not implemented/i;

/** The address of a file, and a name for one. */
const FILE_URL = String.raw`new URL\((?:[^;()]|\([^;()]*\))*?\bimport\.meta\.(?:url|resolve\([^;()]*\)),?\s*\)`;

/**
 * Files: at most `MAX_LINES` lines, kebab-case names, an `index.ts` that only exports, no `any`, no silenced check, no
 * stub; and everywhere, scripts and tests included, no `pathname` of the address of a file.
 */
export const fileShape: Rule = (root) => [
  ...sourceFiles(root).flatMap((file) => checkFile(root, file)),
  ...globSync(['*.ts', '{packages,apps,examples,scripts,bench,test}/**/*.{ts,js,mts,mjs}'], {
    cwd: root,
    exclude: (name) => name === 'node_modules' || name === 'dist',
  })
    .map((file) => file.split(sep).join('/'))
    .toSorted()
    .flatMap((file) => checkPaths(root, file)),
];

function checkPaths(root: string, file: string): readonly Problem[] {
  const text = readFileSync(join(root, file), 'utf8');
  if (!text.includes('.pathname') || !text.includes('import.meta')) return [];
  const names = Array.from(text.matchAll(new RegExp(`(\\w+) = ${FILE_URL};`, 'g')), ([, name = '']) => name);
  const used = new RegExp(`(?:${[FILE_URL, ...names.map((name) => `\\b${name}`)].join('|')})\\.pathname`, 'g');
  return Array.from(text.matchAll(used), ({ 0: found, index }) => ({
    rule: 'file-shape',
    file,
    line: text.slice(0, index + found.length).split('\n').length,
    message: '`pathname` has %20 in place of a space: use fileURLToPath.',
  }));
}

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
