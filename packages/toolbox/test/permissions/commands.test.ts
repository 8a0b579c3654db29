import { verifies } from '@kernel/testing';
import { describe, expect, it } from 'vitest';
import { permissions, type PermissionRule } from '../../src/permissions/index.ts';

const RULES: readonly PermissionRule[] = [
  { allow: 'run_command(git status|diff|log *)' },
  { allow: 'run_command(ls|cat|echo|head|tail|wc|grep|rg|find|sort|tar|tee|node|python3|tsc|sed|awk *)' },
  { allow: 'run_command(npm test)' },
  { allow: 'run_command(npm run build|lint *)' },
  { allow: 'run_command(go test *)' },
  { allow: 'run_command(node -e *)' },
  { allow: 'write_file(out/**)' },
];
const shell = (script: string): string[] => ['bash', '-c', script];

/** Runs without a question. */
const ALLOWED: readonly (readonly string[])[] = [
  ['git', 'status'],
  ['git', 'log', '--oneline', '-5'],
  ['git', 'diff', 'HEAD~1', '--', 'src'],
  ['git', 'diff', '--cached', '--stat'],
  ['ls', '-la'],
  ['ls'],
  ['npm', 'test'],
  ['npm', 'run', 'build'],
  ['npm', 'run', 'lint', '--', '--fix-dry-run'],
  ['find', '.', '-name', '*.ts', '-type', 'f'],
  ['tar', '-tf', 'a.tar'],
  ['tar', 'tf', 'a.tar'],
  ['node', 'script.js', '--port', '3'],
  ['python3', 'tool.py', '-v'],
  ['go', 'test', './...'],
  ['env', 'CI=1', 'npm', 'test'],
  ['env', '-i', 'NO_COLOR=1', 'ls'],
  ['timeout', '5', 'git', 'status'],
  ['timeout', '-k', '1', '--signal=KILL', '5s', 'ls'],
  ['nice', '-n', '10', 'ls', '-l'],
  ['nohup', 'ls'],
  ['echo', '$(rm -rf /)'],
  ['echo', '; rm -rf /'],
  ['echo', '`rm`'],
  ['grep', '-rn', 'a|b', 'src'],
  shell('git status'),
  shell('git status && git diff | head -5'),
  shell('ls; cat a.txt || echo "none"'),
  shell('ls "a b" \'c d\' e\\ f'),
  shell('(ls; cat x) 2>&1 | tail -1'),
  shell('{ ls; } >/dev/null 2>/dev/null'),
  shell('echo hello > out/a.txt'),
  shell('echo hello >> out/deep/a.txt 2>&1'),
  shell('cat < a.txt'),
  shell('cat <<< "text"'),
  shell('ls # rm -rf /'),
  shell('ls src/*.ts'),
  shell('NO_COLOR=1 npm test'),
  shell('! git status'),
  shell('bash -c \'bash -c "git status"\''),
  shell('echo a\necho b\n'),
  shell('ls &'),
  ['sh', '-ec', 'ls'],
];

/** Asked about: not covered, or not clear. */
const ASKED: readonly (readonly string[])[] = [
  ['rm', '-rf', '.'],
  ['git', 'push'],
  ['git'],
  ['git', '-c', 'core.fsmonitor=sh -c id', 'status'],
  ['git', 'diff', '--output=/etc/passwd'],
  ['git', 'diff', '--outp=/etc/passwd'],
  ['git', 'log', '--output', 'x'],
  ['git', 'diff', '--ext-diff'],
  ['git', 'diff', '--no-index', '/etc/passwd', 'a'],
  ['git', 'log', '--textconv'],
  ['git', '-C', '/tmp/evil', 'status'],
  ['git', '--git-dir=/tmp/evil', 'status'],
  ['git', '--exec-path=/tmp', 'status'],
  ['./git', 'status'],
  ['/tmp/git', 'status'],
  ['GIT', 'status'],
  ['npm', 'test', '--', '--evil'],
  ['npm', 'run', 'deploy'],
  ['npm', 'run', 'build', '--script-shell=/tmp/x'],
  ['find', '.', '-exec', 'rm', '{}', ';'],
  ['find', '.', '-exec', 'sh', '-c', 'rm $1', ';'],
  ['find', '.', '-execdir', 'id', '+'],
  ['find', '.', '-ok', 'id', ';'],
  ['find', '.', '-delete'],
  ['find', '.', '-fprintf', '/tmp/x', 'a'],
  ['find', '.', '-fls', '/tmp/x'],
  ['tar', '-cf', 'a.tar', '--checkpoint=1', '--checkpoint-action=exec=sh x', '.'],
  ['tar', '-cf', 'a.tar', '--checkpoint-act=exec=sh x', '.'],
  ['tar', '-xf', 'a.tar', '-I', 'sh'],
  ['tar', 'xIf', 'sh', 'a.tar'],
  ['tar', '-xIf', 'sh', 'a.tar'],
  ['tar', '-xf', 'a.tar', '--use-compress-program=sh'],
  ['tar', '-xf', 'a.tar', '--to-command=sh'],
  ['tar', '-cf', 'a', '-F', 'sh', '-M', '.'],
  ['sort', '--compress-program=sh', 'a'],
  ['sort', '-o', '/etc/x', 'a'],
  ['rg', '--pre', 'sh', 'x'],
  ['rg', '--pre=sh', 'x'],
  ['sed', '-i', 's/a/b/', 'x'],
  ['sed', 's/a/b/e', 'x'],
  ['sed', 'w /etc/x', 'x'],
  ['awk', 'BEGIN{system("id")}'],
  ['python3', '-c', 'import os'],
  ['python3', '-m', 'http.server'],
  ['python3', '-cimport os'],
  ['node', '--eval', 'x'],
  ['node', '-pe', 'x'],
  ['node', '-r', './evil.js', 'a.js'],
  ['node', '--require=./evil.js', 'a.js'],
  ['node', '--import', './evil.js', 'a.js'],
  ['go', 'test', '-exec', 'sh', './...'],
  ['go', 'test', '-toolexec=sh', './...'],
  ['env', 'LD_PRELOAD=./x.so', 'ls'],
  ['env', 'PATH=/tmp', 'ls'],
  ['env', 'GIT_EXTERNAL_DIFF=sh', 'git', 'diff'],
  ['env', 'PAGER=sh', 'git', 'log'],
  ['env', '-S', 'rm -rf .'],
  ['env', '-C', '/', 'ls'],
  ['env', 'rm'],
  ['env'],
  ['timeout', '5', 'rm', 'x'],
  ['timeout', '--evil', '5', 'ls'],
  ['nice', 'rm'],
  ['nohup', 'sh', 'x'],
  ['setsid', 'rm', 'x'],
  ['stdbuf', '-oL', 'rm', 'x'],
  ['xargs', 'rm'],
  ['xargs', 'ls'],
  ['sudo', 'ls'],
  ['sudo', '-u', 'root', 'git', 'status'],
  ['busybox', 'ls'],
  ['eval', 'ls'],
  ['bash'],
  ['bash', 'script.sh'],
  ['bash', '-i', '-c', 'ls'],
  ['bash', '--rcfile', 'x', '-c', 'ls'],
  ['sh', '-s'],
  ['zsh', '-c', 'rm x'],
  ['fish', '-c', 'ls'],
  [],
  [''],
  ['ls\0rm'],
  shell(''),
  shell('rm -rf .'),
  shell('git status; rm x'),
  shell('git status && rm x'),
  shell('git status || rm x'),
  shell('git status | sh'),
  shell('git status |& sh'),
  shell('git status & rm x'),
  shell('git status\nrm x'),
  shell('echo $(rm x)'),
  shell('echo "$(rm x)"'),
  shell('echo "$(git log --oneline)"'),
  ['node', 'x.js', '-e', 'y'],
  shell('echo `rm x`'),
  shell('echo "`rm x`"'),
  shell('cat <(rm x)'),
  shell('ls > >(sh)'),
  shell('ls > /etc/passwd'),
  shell('ls >| a'),
  shell('ls >> ~/.bashrc'),
  shell('ls &> a'),
  shell('ls >& a'),
  shell('ls 1> a'),
  shell('ls {fd}> a'),
  shell('> a'),
  shell('echo x > "$HOME/a"'),
  shell('echo x > out/../a'),
  shell('echo x > out/$x'),
  shell('$x'),
  shell('"$x" y'),
  shell('l$x'),
  shell('r""m x'),
  shell("'rm' x"),
  shell('r\\m x'),
  shell('/bin/rm x'),
  shell('$(echo rm) x'),
  shell("$'\\x72m' x"),
  shell('git log $x'),
  shell('git log "$x"'),
  shell('git log a$x'),
  shell('find . $x'),
  shell('tar -cf a.tar *'),
  shell('tar -cf a.tar -- *'),
  shell('find . -name a -exe${x}c rm {} \\;'),
  shell('PATH=/tmp ls'),
  shell('LD_PRELOAD=x ls'),
  shell('BASH_ENV=x bash -c ls'),
  shell('x=rm; ls'),
  shell('IFS=/ ; ls'),
  shell('export PATH=/tmp; ls'),
  shell('alias ls=rm\nls'),
  shell('ls() { rm x; }; ls'),
  shell('function ls { rm x; }; ls'),
  shell('for i in a; do rm $i; done'),
  shell('while true; do ls; done'),
  shell('if ls; then rm x; fi'),
  shell('case x in x) rm;; esac'),
  shell('[[ -f a ]] && rm a'),
  shell('[ -f a ] && ls'),
  shell('(( a = 1 ))'),
  shell('echo $((1 + $(rm x)))'),
  shell('echo ${x:-$(rm x)}'),
  shell('cat <<EOF\n$(rm x)\nEOF'),
  shell('cat <<-"EOF"\nx\nEOF'),
  shell('coproc rm x'),
  shell('time rm x'),
  shell('exec rm x'),
  shell('command rm x'),
  shell('builtin eval "rm x"'),
  shell('eval "rm x"'),
  shell('. ./x'),
  shell('source ./x'),
  shell('trap "rm x" EXIT'),
  shell('ls; "unclosed'),
  shell("ls; 'unclosed"),
  shell('ls \\'),
  shell('(ls'),
  shell('ls)'),
  shell('{ ls'),
  shell('{ find . } -delete; }'),
  shell('echo a\r\nrm x'),
  shell('ls\0rm'),
  shell('a=(1 2)'),
  shell('echo !(a)'),
  shell('$('.repeat(30) + ')'.repeat(30)),
  shell('ls | xargs rm'),
  shell('ls | xargs -I{} sh -c "rm {}"'),
  shell('git status | tee /etc/x > /dev/null; rm x'),
  shell('bash <<< "rm x"'),
  shell('bash -c "$x"'),
  shell("bash -c 'rm x'"),
  shell("sh -c 'ls; rm x'"),
  shell('python3 -c "import os"'),
  shell('\u00a0rm x'),
  shell('\u2028rm x'),
];

describe('commands that rules decide on', () => {
  const policy = permissions(RULES);
  const decide = (command: readonly string[]) => policy.decide('run_command', { command });

  it.each(ALLOWED.map((command) => [JSON.stringify(command), command] as const))('%s is covered', (_, command) => {
    verifies('toolbox.permissions.commands');
    expect(decide(command)).toMatchObject({ verdict: 'allow' });
  });

  it.each(ASKED.map((command) => [JSON.stringify(command), command] as const))('%s is asked about', (_, command) => {
    expect(decide(command)).toMatchObject({ verdict: 'ask' });
  });

  it('has at least two hundred cases', () => {
    expect(ALLOWED.length + ASKED.length).toBeGreaterThanOrEqual(200);
  });

  it('a rule that names an argument covers it, at its place', () => {
    expect(decide(['node', '-e', 'anything'])).toMatchObject({ verdict: 'allow' });
    expect(decide(['node', '-e', 'anything', '-r', 'x'])).toMatchObject({ verdict: 'ask' });
    const named = permissions([{ allow: 'run_command(sed -n *)' }, { allow: 'run_command(git diff --output=*)' }]);
    expect(named.decide('run_command', { command: ['git', 'diff', '--output=x'] }).verdict).toBe('allow');
    expect(named.decide('run_command', { command: ['sed', '-n', '1,2p', 'x'] }).verdict).toBe('ask');
  });

  it('a rule for the tool as a whole covers every command, and what denies still decides', () => {
    const open = permissions([{ allow: 'run_command' }, { deny: 'run_command(git push *)' }, { deny: '*(**/.env)' }]);
    const verdictOf = (command: readonly string[]) => open.decide('run_command', { command }).verdict;
    expect(verdictOf(['rm', 'x'])).toBe('allow');
    for (const denied of [
      ['git', 'push'],
      ['git', '-C', 'x', 'push', '--force'],
      ['/usr/bin/git', 'push'],
      ['sudo', 'git', 'push'],
      ['env', 'A=1', 'git', 'push'],
      shell('ls && git push'),
      shell('echo $(git push)'),
      ['cat', '.env'],
      ['cat', 'a/b/.ENV'],
      ['cat', './a/../.env'],
      ['curl', '--data=@.env', 'x'],
      ['git', 'show', 'HEAD:.env'],
      shell('cat < .env'),
      shell("cat .e''nv"),
      shell('echo x > a/.env'),
    ])
      expect([denied, verdictOf(denied)]).toEqual([denied, 'deny']);
    for (const unclear of [
      shell('cat .e*'),
      shell('cat $x'),
      shell('cd sub && cat x'),
      shell('for i in .env; do cat $i; done'),
    ])
      expect([unclear, verdictOf(unclear)]).toEqual([unclear, 'ask']);
  });

  it('suggests the narrowest rule that would allow a command, and that rule does', () => {
    for (const command of [
      ['git', 'push', 'origin', 'main'],
      ['rm', 'a b', 'c*d'],
      ['find', '.', '-delete'],
      ['make'],
    ]) {
      const { suggestion } = decide(command);
      if (suggestion === undefined) throw new Error(`no suggestion for ${command.join(' ')}`);
      expect(permissions([suggestion]).decide('run_command', { command }).verdict).toBe('allow');
    }
    expect(decide(['git', 'push', 'origin', 'main']).suggestion).toEqual({
      allow: 'run_command(git push origin main)',
    });
    expect(decide(['rm', 'a', 'b']).suggestion).toEqual({ allow: 'run_command(rm a b)' });
    expect(decide(['find', '.', '-delete']).suggestion).toEqual({ allow: 'run_command(find . -delete)' });
    expect(decide(shell('ls > a.txt'))).toMatchObject({ suggestion: { allow: 'write_file(a.txt)' } });
  });
});
