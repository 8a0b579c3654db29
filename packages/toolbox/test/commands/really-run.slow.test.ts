import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifies } from '@kernel/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parseShell } from '../../src/commands/shell/parse-shell.ts';
import type { ShellWord } from '../../src/commands/shell/types.ts';

/** Three scripts for each word. */
const ROUNDS = 3;

/** Numbers from 0 to 1, always the same ones. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const WORDS =
  String.raw`a|-x|$CI|"$CI"|*|{a,b}|~|a\ b|\$(p2)|""|'$(p3)'|"\$(p3)"|"\\$(p3)"|\${CI:-a}|#c|a#b|"@p2@"|"$(p3 a)"|@p4 b@|<(p2)|a"$(p1)"b|$|"$"|{}|}|{|!|[|]|A=1|\\|\'|"$(p2 ')')"|$(p1 #)|@p1 #@|\${CI@P}|\${CI:1}|$[1]|"$[1]"|'p4'`
    .replaceAll('@', '`')
    .replaceAll('\\$', '$')
    .split('|');
const PIECES = [
  ...WORDS,
  ...'p1 |p2 a|;|&&|>f1|2>&1|>&f1|&>f1|>&-|<f1|<<<|<(|(|)|{ |; }|$(|`|"|\'|\\|\n|\\\n|"$\\\n(p1)"|$((|((|!|CI=|\'CI=a\' |10>f2 | #|eval |if|for|\t|${'.split(
    '|',
  ),
];

/** A script of programs p1 to p4, mostly well formed, that begins with a word as an argument. */
function createScript(word: string, next: () => number): string {
  const pick = (list: readonly string[]): string => list[Math.floor(next() * list.length)] ?? '';
  const command = (depth: number): string => {
    if (depth < 2 && next() < 0.1) return pick(['(@)', '{ @; }', '( @ ) >f1']).replace('@', () => list(depth + 1));
    const words = Array.from(
      { length: Math.floor(next() * 4) },
      () => pick([' ', ' ', '\t', ' \\\n', '']) + pick(WORDS),
    );
    const start = pick(['', '', '', 'CI=1 ', '! ']) + pick(['p1', 'p2', "'p3'", '\\p4', 'p"1"']);
    return start + words.join('') + pick(['', '', '', ' >f1', ' 2>&1', ' <<<$(p2)', ' > >(p3)', ' &>f1']);
  };
  const list = (depth: number): string =>
    Array.from({ length: 1 + Math.floor(next() * 3) }, () => command(depth)).join(
      pick([';', '&&', '|', '\n', ' # c\n', ' #`\n']),
    );
  const script = `p1 ${word}${pick([';', '&&', '|', '\n'])}${list(0)}`;
  const at = Math.floor(next() * (script.length + 1));
  return next() < 0.5 ? script : script.slice(0, at) + pick(PIECES) + script.slice(at + (next() < 0.3 ? 1 : 0));
}

/** Whether a listed command may have become the argument vector. */
function mayBecome(words: readonly ShellWord[], args: readonly string[]): boolean {
  const [word, ...rest] = words;
  const [first, ...others] = args;
  if (word === undefined) return first === undefined;
  if (word.text !== undefined) return word.text === first && mayBecome(rest, others);
  if (word.prefix === '' && mayBecome(rest, args)) return true;
  return args.some(
    (_, end) =>
      args.slice(0, end + 1).every((arg) => arg.startsWith(word.prefix)) && mayBecome(rest, args.slice(end + 1)),
  );
}

const SHELLS = ['bash', 'dash'].map((name) => `/bin/${name}`).filter((path) => existsSync(path));

describe.skipIf(SHELLS.length === 0)('scripts that are run', () => {
  it.each(SHELLS)('start nothing, and open no file, that was not listed: %s', async (shell) => {
    verifies('toolbox.permissions.commands');
    const base = await mkdtemp(join(tmpdir(), 'scripts-'));
    onTestFinished(() => rm(base, { recursive: true, force: true }));
    const programs = join(base, 'bin');
    mkdirSync(programs);
    // One write for each program, so that those that run side by side do not mix theirs.
    const record = `#!/bin/sh\nall="\${0##*/}"\nfor each do all="$all\u0001$each"; done\nprintf '%s\u0002' "$all" >>"$LOG"\necho w\n`;
    for (const name of ['p1', 'p2', 'p3', 'p4']) writeFileSync(join(programs, name), record, { mode: 0o755 });
    const next = numbers(7);
    let clear = 0;
    const faults: unknown[] = [];
    const firstWords = Array.from({ length: ROUNDS }, () => WORDS).flat();
    for (const [count, word] of firstWords.entries()) {
      const script = createScript(word, next);
      const { commands, unclear } = parseShell(script);
      if (unclear !== undefined || commands.some(({ words }) => /^(?:eval|\.)$/.test(words[0]?.text ?? ''))) continue;
      clear += 1;
      // Each its own: what still runs afterwards writes into the old ones.
      const [folder, log] = [join(base, `folder-${count}`), join(base, `log-${count}`)];
      mkdirSync(folder);
      writeFileSync(log, '');
      spawnSync(shell, ['-c', script], { cwd: folder, env: { PATH: programs, LOG: log }, input: '', timeout: 60_000 });
      const ran = readFileSync(log, 'utf8')
        .split('\u0002')
        .slice(0, -1)
        .map((each) => each.split('\u0001'));
      const unlisted = ran.filter((args) => !commands.some(({ words }) => mayBecome(words, args)));
      const targets = new Set(commands.flatMap(({ redirections }) => redirections).map(({ target }) => target.text));
      const unnamed = targets.has(undefined) ? [] : readdirSync(folder).filter((name) => !targets.has(name));
      if (unlisted.length > 0 || unnamed.length > 0) faults.push({ script, unlisted, unnamed });
    }
    expect(faults).toEqual([]);
    expect(clear).toBeGreaterThan(firstWords.length / 5);
  });
});
