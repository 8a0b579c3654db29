import { verifies } from '@kernel/testing';
import { describe, expect, it } from 'vitest';
import { permissions, type PermissionRule } from '../../src/permissions/index.ts';

const RULES: readonly PermissionRule[] = [
  { allow: 'run_command(git status|diff|log *)' },
  { allow: 'run_command(ls|cat|echo|head|tail|wc|grep|rg|find|sort|tar|tee|node|python3|tsc|sed|awk *)' },
  { allow: 'run_command(npm test)' },
  { allow: 'run_command(npm run build|lint *)' },
  { allow: 'run_command(go test ./...)' },
  { allow: 'run_command(node -e *)' },
  { allow: 'run_command(node script.js --port=*)' },
  { allow: 'run_command(python3 tool.py -v)' },
  { allow: 'run_command(cat /etc/hostname)' },
  { allow: 'run_command(pwd|uniq|cd *)' },
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
  ['find', '.', '-name', '*.ts', '-type', 'f'],
  ['find', 'src', '-not', '-path', '*/node_modules/*', '-maxdepth', '2'],
  ['sort', '-rn', '-k', '2,3'],
  ['wc', '-l', 'src/a.ts'],
  ['cat', 'src/../a.ts', './b.ts', 'a b/c..d/..e'],
  ['cat', '/etc/hostname'],
  ['grep', '-rn', 'https://example.com/x', 'src'],
  ['git', 'diff', 'HEAD~1:src/a.ts', 'HEAD:src/a.ts'],
  ['git', 'log', 'main..HEAD', '--since=2 weeks ago', '--pretty=format:%h %s', '--', 'src'],
  ['node', 'script.js', '--port=3'],
  ['python3', 'tool.py', '-v'],
  ['go', 'test', './...'],
  ['env', 'CI=1', 'npm', 'test'],
  ['env', 'NO_COLOR=1', 'ls'],
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
  shell('cat packages/*/src/../package.json'),
  shell('cd src && cat a.ts'),
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
  ['git', 'log', '--format=%G?'],
  ['git', 'diff', '-O/x'],
  ['git', 'diff', '-Ox'],
  ['git', 'log', 'HEAD:../a.ts'],
  ['git', 'diff', 'HEAD', ':/src/a.ts'],
  ['git', 'log', '--', ':(top)src'],
  ['npm', 'test', '--', '--evil'],
  ['npm', 'run', 'lint', '--', '--fix-dry-run'],
  // Nothing is known of what a program does with its arguments, unless it is listed.
  ['node', 'script.js'],
  ['node', 'script.js', '--port', '3'],
  ['node', 'script.js', '--port=../3'],
  ['node', '-e', 'anything'],
  ['tar', 'tf', 'a.tar'],
  ['tar', '-tf', 'a.tar'],
  ['tsc', '--noEmit'],
  ['tsc'],
  ['uniq', 'a', 'b'],
  // A path that leads out of the workspace, or may do so.
  ['cat', '/etc/shadow'],
  ['cat', '/etc/hostname', '/etc/shadow'],
  ['cat', '/etc/hostname/../shadow'],
  ['cat', '../outside/secret.txt'],
  ['cat', '..'],
  ['cat', 'a/../../secret.txt'],
  ['cat', './../secret.txt'],
  ['cat', 'a/..//../x'],
  ['cat', 'a\\..\\..\\x'],
  ['cat', '..\\x'],
  ['cat', '~/.ssh/id_rsa'],
  ['cat', '~root/x'],
  ['cat', 'C:\\Windows\\win.ini'],
  ['cat', 'c:x'],
  ['cat', 'file:///etc/passwd'],
  ['cat', 'FILE:/etc/passwd'],
  ['grep', '-f/etc/shadow', 'x'],
  ['grep', '-rf/etc/shadow', 'x'],
  ['grep', '-f../x', 'a'],
  ['grep', '--file=/etc/shadow', 'x'],
  ['grep', '--file=a/../../x', 'y'],
  ['grep', '--file=~/x', 'y'],
  ['grep', 'x', '-r', '/'],
  ['ls', '-la', '/root'],
  ['wc', '--files0-from=list'],
  ['wc', '--files0=list'],
  ['sort', '-o', 'x'],
  ['sort', '-uo', 'x'],
  ['sort', '-T', 'x'],
  ['sort', '--files0-from=list'],
  ['find', '/', '-name', 'x'],
  ['find', '.', '-newer', '/etc/x'],
  ['find', '-L', '.', '-name', 'x'],
  shell('cat /etc/*'),
  shell('cat src/../../*'),
  shell('cat src/*/../../../x'),
  shell('ls .*'),
  shell('cat src/.*/x'),
  shell('cat {/etc/shadow,a}'),
  shell('cat ~/x'),
  shell('cat "src$CI"'),
  shell('CI=/../../../etc/shadow; cat "src$CI"'),
  shell('cat < /etc/shadow'),
  shell('cat < ../x'),
  shell('cat < ~/x'),
  shell('cat < $x'),
  shell('cd .. && ls'),
  shell('cd && ls'),
  shell('cd - && ls'),
  shell('cd a b && ls'),
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
  ['env', 'LANGUAGE=../../../srv/x', 'ls'],
  // Git would lose the variables that keep it from running what a repository names.
  ['env', '-i', 'git', 'status'],
  ['env', '-', 'git', 'status'],
  ['env', '-u', 'GIT_CONFIG_PARAMETERS', 'git', 'status'],
  ['env', '--unset=GIT_CONFIG_PARAMETERS', 'git', 'status'],
  ['env', '--ignore-environment', 'PATH=/usr/bin', 'git', 'status'],
  ['bash', '-c', 'exec -c git status'],
  ['bash', '-c', 'exec -cl git status'],
  ['bash', '-c', 'command -p git status'],
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
    expect(decide(['node', '-e', '*'])).toMatchObject({ verdict: 'ask' });
    const exact = permissions([{ allow: String.raw`run_command(node -e console.log\(1\) a\*b)` }]);
    expect(exact.decide('run_command', { command: ['node', '-e', 'console.log(1)', 'a*b'] }).verdict).toBe('allow');
    expect(exact.decide('run_command', { command: ['node', '-e', 'console.log(1)', 'aab'] }).verdict).toBe('ask');
    const named = permissions([{ allow: 'run_command(sed -n *)' }, { allow: 'run_command(git diff --output=*)' }]);
    expect(named.decide('run_command', { command: ['git', 'diff', '--output=x'] }).verdict).toBe('allow');
    expect(named.decide('run_command', { command: ['sed', '-n', '1,2p', 'x'] }).verdict).toBe('ask');
  });

  it('a wildcard at the end stands for no argument of a program that is not listed', () => {
    verifies('toolbox.permissions.wildcards');
    const rules = permissions([
      { allow: 'run_command(npm test|ci *)' },
      { allow: 'run_command(node|make|bash|python3 *)' },
      { allow: 'run_command(scripts/* *)' },
      { allow: 'run_command(* --version)' },
    ]);
    const verdictOf = (...command: string[]) => rules.decide('run_command', { command }).verdict;
    expect(verdictOf('npm', 'test')).toBe('allow');
    for (const command of [
      ['npm', 'test', 'x'],
      ['npm', 'test', '--'],
      // Its code could come from its input.
      ['node'],
      ['bash'],
      ['make'],
      ['scripts/x.sh'],
      ['scripts/../../evil'],
      ['rm', '--version'],
      ['./evil', '--version'],
    ])
      expect([command, verdictOf(...command)]).toEqual([command, 'ask']);
    expect(verdictOf('cat', '--version')).toBe('allow');
  });

  it('where the folder is not in the workspace, a wildcard covers nothing', () => {
    verifies('toolbox.permissions.wildcards');
    const verdictOf = (command: readonly string[], cwd: string) =>
      permissions(RULES, { root: '/srv' }).decide('run_command', { command, cwd }).verdict;
    expect(['.', 'src', '/srv/src'].map((cwd) => verdictOf(['cat', 'a'], cwd))).toEqual(['allow', 'allow', 'allow']);
    expect(['..', '/etc', 'a/../../b', '/srv/../etc'].map((cwd) => verdictOf(['cat', 'a'], cwd))).toEqual(
      Array.from({ length: 4 }, () => 'ask'),
    );
  });

  it('what a shell reads follows the rules about read_file', () => {
    verifies('toolbox.permissions.wildcards');
    const rules = permissions([
      { allow: 'run_command(cat *)' },
      { deny: 'read_file(secret/**)' },
      { allow: 'read_file(/etc/hostname)' },
    ]);
    const verdictOf = (script: string) => rules.decide('run_command', { command: shell(script) }).verdict;
    expect(verdictOf('cat < a')).toBe('allow');
    expect(verdictOf('cat < /etc/hostname')).toBe('allow');
    expect(verdictOf('cat < /etc/shadow')).toBe('ask');
    expect(verdictOf('cat < secret/a')).toBe('ask');
  });

  it('says what a wildcard covers, and suggests a rule that covers nothing else', () => {
    verifies('toolbox.permissions.wildcards');
    for (const [command, rule] of [
      [['cat', '/etc/shadow'], 'run_command(cat /etc/shadow)'],
      [['grep', '--file=../x', '*.ts'], String.raw`run_command(grep --file=../x \*.ts)`],
      [['npm', 'run', 'lint', '*'], String.raw`run_command(npm run lint \*)`],
    ] as const) {
      const { reason, suggestion } = decide(command);
      expect(reason).toContain('A wildcard covers arguments only of programs');
      expect(suggestion).toEqual({ allow: rule });
      const only = permissions([{ allow: rule }]);
      expect(only.decide('run_command', { command }).verdict).toBe('allow');
      expect(only.decide('run_command', { command: [...command.slice(0, -1), 'x'] }).verdict).toBe('ask');
    }
  });

  it('a wildcard behind the = of an option covers a plain name or path, and nothing that its program may read as more', () => {
    verifies('toolbox.permissions.wildcards');
    const { decide: decideOn } = permissions([{ allow: 'run_command(./tool.sh --data=*)' }]);
    const verdictOf = (value: string) => decideOn('run_command', { command: ['./tool.sh', `--data=${value}`] }).verdict;
    for (const value of ['', '3', '-1', 'a.txt', 'src/a-b_c+d.ts', './a/', '...'])
      expect([value, verdictOf(value)]).toEqual([value, 'allow']);
    const readAsMore = [
      [
        '@/tmp/x',
        'b,/etc/shadow',
        '"/etc/shadow"',
        "'/etc/shadow'",
        ' /etc/shadow',
        '@../s',
        'a;/etc',
        '[/etc/shadow]',
      ],
      [
        '$HOME/.ssh/id',
        '%2Fetc',
        '$(cat /etc/shadow)',
        'url:file:///etc',
        String.raw`\\srv\share`,
        '/etc',
        '//etc',
        '..',
      ],
      ['../a', 'a/../../b', 'a/..', '~', 'a=/etc', 'a\n/etc', 'a ../b', '`id`', '<x', 'c:x', 'a//../b'],
    ].flat();
    for (const value of readAsMore) expect([value, verdictOf(value)]).toEqual([value, 'ask']);
  });

  it('a command with an address can be allowed, denied and asked about', () => {
    const command = ['curl', '-s', 'https://127.0.0.1:1/a'];
    const { suggestion } = decide(command);
    expect(suggestion).toEqual({ allow: 'run_command(curl -s https://127.0.0.1:1/a)' });
    const remembering = permissions(RULES);
    if (suggestion !== undefined) remembering.remember(suggestion);
    const verdictAfter = (words: readonly string[]) => remembering.decide('run_command', { command: words }).verdict;
    expect([verdictAfter(command), verdictAfter([...command.slice(0, 2), 'https://other'])]).toEqual(['allow', 'ask']);
    const against = permissions([
      { allow: 'run_command' },
      { deny: 'run_command(curl|wget https://* *)' },
      { ask: 'run_command(git clone https://*)' },
      { deny: 'run_command(https://evil.example/**)' },
      { deny: 'run_command(file:///etc/**)' },
    ]);
    const verdictOf = (...words: string[]) => against.decide('run_command', { command: words }).verdict;
    expect(verdictOf('curl', '-s', 'https://127.0.0.1:1/a')).toBe('deny');
    expect(verdictOf('git', 'clone', 'https://example.com/x')).toBe('ask');
    expect(verdictOf('node', 'x.js', 'https://evil.example/a')).toBe('deny');
    expect(verdictOf('ls')).toBe('allow');
    expect(() => permissions([{ deny: 'fetch_url(file:///etc/**)' }])).toThrow('cannot be used');
  });

  it('a rule for a program that is not listed holds at the top, or in the folder that it names', () => {
    verifies('toolbox.permissions.folders');
    const rules = permissions(
      [
        { allow: 'run_command(npm test)' },
        { allow: 'run_command(cd packages/* && npm run build|lint)' },
        { allow: String.raw`run_command(cd a\ b/\[c\] && make)` },
        { allow: 'run_command(cat|cd *)' },
        { deny: 'run_command(cd vendor && *)' },
      ],
      { root: '/srv' },
    );
    const verdictOf = (command: readonly string[], cwd?: string) =>
      rules.decide('run_command', { command, ...(cwd === undefined ? {} : { cwd }) }).verdict;
    for (const cwd of [undefined, '.', './', '/srv', 'a/..'])
      expect([cwd, verdictOf(['npm', 'test'], cwd)]).toEqual([cwd, 'allow']);
    for (const cwd of ['packages/a', 'out', '..', '/tmp'])
      expect([cwd, verdictOf(['npm', 'test'], cwd)]).toEqual([cwd, 'ask']);
    expect(verdictOf(['npm', 'run', 'lint'], 'packages/a')).toBe('allow');
    for (const cwd of ['.', 'packages', 'packages/a/b', 'packages/../x', '../packages/a'])
      expect([cwd, verdictOf(['npm', 'run', 'lint'], cwd)]).toEqual([cwd, 'ask']);
    expect(verdictOf(['make'], 'a b/[c]')).toBe('allow');
    // What only reads in the workspace may do so in each of its folders.
    expect(verdictOf(['cat', 'x'], 'out')).toBe('allow');
    for (const cwd of ['vendor', 'vendor/x', 'Vendor'])
      expect([cwd, verdictOf(['cat', 'x'], cwd)]).toEqual([cwd, 'deny']);
    // A shell may change its folder, or fail to.
    expect(verdictOf(shell('cd out && npm test'))).toBe('ask');
    for (const script of [
      'cd vendor && npm test',
      'cd a && cd ../vendor && ls',
      'cd $x && ls',
      'cd out; cd vendor/y; ls',
    ])
      expect([script, verdictOf(shell(script))]).toEqual([script, 'deny']);
  });

  it('a rule that names a folder is suggested, and covers the command in no other one', () => {
    verifies('toolbox.permissions.folders');
    const rules = permissions([], { root: '/srv' });
    for (const cwd of ['packages/a', 'a b/[c]/*', '/tmp', '../x']) {
      const { suggestion } = rules.decide('run_command', { command: ['npm', 'test'], cwd });
      if (suggestion === undefined) throw new Error(`no suggestion in ${cwd}`);
      const only = permissions([suggestion], { root: '/srv' });
      const verdictIn = (folder: string) =>
        only.decide('run_command', { command: ['npm', 'test'], cwd: folder }).verdict;
      expect([cwd, verdictIn(cwd), verdictIn('.'), verdictIn('packages/b')]).toEqual([cwd, 'allow', 'ask', 'ask']);
    }
    expect(rules.decide('run_command', { command: ['npm', 'test'], cwd: 'packages/a' }).suggestion).toEqual({
      allow: 'run_command(cd packages/a && npm test)',
    });
  });

  it('no rule is suggested that would not allow the call', () => {
    const rules = permissions([{ allow: 'run_command(ls *)' }]);
    for (const command of [
      shell('npm test && rm -rf build'),
      shell('a\nb'),
      shell('npm test > log; rm x'),
      ['echo', ''],
      ['awk', '{a,b}'.repeat(10)],
      ['echo', 'x'.repeat(2000)],
      shell('cat $x'),
    ])
      expect([command, rules.decide('run_command', { command }).suggestion]).toEqual([
        command,
        command[0] === 'awk' ? { allow: `run_command(awk ${'{a,b}'.repeat(10)})` } : undefined,
      ]);
    for (const text of ['file:///etc/passwd', 'urn:x://y'])
      expect([text, rules.decide('mine', { text }).suggestion]).toEqual([text, undefined]);
    // A rule about nothing would be one about the folder.
    expect(rules.decide('mine', { text: '' }).suggestion).toBeUndefined();
    expect(rules.decide('list_directory', {}).suggestion).toEqual({ allow: 'list_directory(.)' });
    expect(rules.decide('mine', { text: 'https://example.com/a' }).suggestion).toEqual({
      allow: 'mine(text=https://example.com/**)',
    });
  });

  it('a rule that denies or asks is about a path however it is written', () => {
    const rules = permissions([{ allow: 'run_command' }, { deny: 'run_command(rm src/a*)' }], { root: '/srv/w' });
    const verdictOf = (path: string, cwd = '.') => rules.decide('run_command', { command: ['rm', path], cwd }).verdict;
    for (const path of ['src/a', './src/ab', 'x/../src/a', 'src//a', '/srv/w/src/a', '/srv/w/./src/a'])
      expect([path, verdictOf(path)]).toEqual([path, 'deny']);
    expect([verdictOf('./a', 'src'), verdictOf('../src/a', 'docs'), verdictOf('./b', 'src')]).toEqual([
      'deny',
      'deny',
      'allow',
    ]);
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
