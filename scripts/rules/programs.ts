import { readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import type { Problem, Rule } from '../lib/problem.ts';
import { sourceFiles } from '../lib/projects.ts';

/** The ways to start a program that this rule doesn't read, also by packages that look programs up by their names. */
const OTHERS =
  /\bDeno\.Command\b|\bBun\.(?:spawn|\$)|import\(['"](?:node:)?child_process|['"](?:execa|cross-spawn|tinyexec|nano-spawn|zx|shelljs|foreground-child|node-pty)['"]|getBuiltinModule\(['"](?:node:)?child_process/g;
const IMPORT = /^import (.*) from '(?:node:)?child_process';$/m;
/** Starts of a program by its path. `exec` and `execSync` start a shell, and `fork` needs no path. */
const STARTER = /^(?:spawn|spawnSync|execFile|execFileSync)$/;

/**
 * Programs: packages import the starters of `node:child_process` by their names, pass `programPath(…)` to each, which
 * throws for a bare name, and `childVariables(…)` as the environment.
 */
export const programs: Rule = (root) => sourceFiles(root).flatMap((file) => checkFile(root, file));

function checkFile(root: string, path: string): readonly Problem[] {
  const file = path.split(sep).join('/');
  const text = readFileSync(join(root, file), 'utf8');
  const problem = (index: number, message: string): Problem => ({
    rule: 'programs',
    file,
    line: text.slice(0, index).split('\n').length,
    message,
  });
  const others = Array.from(text.matchAll(OTHERS), ({ 0: found, index }) =>
    problem(index, `starts programs by ${found}, which this rule doesn't read: import from node:child_process.`),
  );
  const found = IMPORT.exec(text);
  if (found === null)
    return /from ['"](?:node:)?child_process['"]/.test(text)
      ? [...others, problem(0, 'imports node:child_process otherwise than by names on one line.')]
      : others;
  const [, imported = ''] = found;
  const names = imported
    .replaceAll(/[{}]/g, '')
    .split(',')
    .map((name) => name.trim());
  const starters = names.filter((name) => name !== '' && !name.startsWith('type ') && !imported.startsWith('type '));
  const unknown = starters
    .filter((name) => !STARTER.test(name))
    .map((name) => problem(found.index, `imports "${name}".`));
  if (unknown.length > 0) return [...others, ...unknown];
  const uses = starters.flatMap((name) => [...text.matchAll(new RegExp(`(?<![\\w.'])${name}\\b`, 'g'))].slice(1));
  const unclear = uses.flatMap(({ 0: name, index }) => {
    const call = text.slice(index + name.length, index + 400);
    const [, program = ''] = /^\(([^,]*),/.exec(call) ?? [];
    if (!/^\s*(?:isWindows \? commandLine : )?programPath\([\w.]+\)$/.test(program))
      return [problem(index, `${name} starts something else than programPath(…).`)];
    return call.includes('env: childVariables(')
      ? []
      : [problem(index, `${name} starts a program in another environment than "env: childVariables(…)".`)];
  });
  return [...others, ...unclear];
}
