import { verifies } from '@kernel/testing';
import { describe, expect, it } from 'vitest';
import { permissions } from '../../src/permissions/index.ts';

/** Numbers from 0 to 1, always the same ones. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

interface Call {
  readonly command: readonly string[];
  readonly input?: string;
}

/** How a script may say `touch forbidden` so that no word is either. */
const HIDDEN = [
  "t''ouch forbidden",
  'to\\uch forb"idd"en',
  'eval "$(printf dG91Y2ggZm9yYmlkZGVu | base64 -d)"',
  '$A $B',
  'x=forbid; touch ${x}den',
  '. ./script',
  '`cat script`',
  "$'\\x74ouch' $'\\x66orbidden'",
];
const SHELLS = 'sh bash dash zsh ksh ksh93 mksh tcsh fish ash /bin/sh ./sh busybox pwsh cmd.exe'.split(' ');
const LANGUAGES = 'python3 python3.12 node perl ruby php lua awk gawk sed vim ed sqlite3 deno bun osascript'.split(' ');
const RUNNERS = 'sudo ssh su doas parallel watch script tmux docker chroot nsenter unshare strace gdb'.split(' ');

const quote = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
const join = (words: readonly string[]): string => words.map(quote).join(' ');

/** Ways to hand a script to an interpreter. */
const HANDS: readonly ((script: string, pick: (list: readonly string[]) => string) => Call)[] = [
  (script, pick) => ({ command: [pick(SHELLS)], input: script }),
  (script, pick) => ({ command: [pick(SHELLS), '-s', 'a'], input: script }),
  (script, pick) => ({ command: [pick(SHELLS), '-c', script] }),
  (script, pick) => ({ command: [pick(SHELLS), '--norc', '-c', script] }),
  (script, pick) => ({ command: [pick(LANGUAGES)], input: script }),
  (script, pick) => ({ command: [pick(LANGUAGES), pick(['-c', '-e', '-E', '--eval', '-p', '-r']), script] }),
  (script, pick) => ({ command: [pick(LANGUAGES), `-e${script}`] }),
  (script, pick) => ({ command: [pick(RUNNERS), 'host', script] }),
  (script) => ({ command: ['env', `-S${script}`] }),
  (script, pick) => ({
    command: [pick(['rsync', 'git', 'make', 'tar']), pick(['--x=', '--checkpoint-action=exec=']) + script, 'a'],
  }),
  () => ({ command: ['bash', '-c', 'hash -p /usr/bin/touch t; t forbidden'] }),
  (script) => ({ command: ['env', '-S', script] }),
  (_, pick) => ({
    command: ['xargs', ...pick(['', '-n1', '-I{}', '-0']).split(' ').filter(Boolean), 'touch'],
    input: 'forbidden',
  }),
  () => ({ command: ['xargs', '-a', 'list', 'touch'] }),
  () => ({ command: ['xargs', '--arg-file=list', 'touch'] }),
  (script, pick) => ({ command: ['find', '.', pick(['-exec', '-execdir', '-ok', '-okdir']), 'sh', '-c', script, ';'] }),
  (script, pick) => ({ command: ['sh', '-c', `${pick(SHELLS)} <<< ${quote(script)}`] }),
  (script, pick) => ({ command: ['sh', '-c', `echo ${quote(script)} | ${pick(SHELLS)}`] }),
  (script, pick) => ({ command: ['bash', '-c', `echo ${quote(script)} |& ${pick(SHELLS)}`] }),
  (script, pick) => ({ command: ['sh', '-c', `echo ${quote(script)} | (cat; ${pick(SHELLS)})`] }),
  (_, pick) => ({ command: ['sh', '-c', `{ ls; ${pick(SHELLS)}; } < script`] }),
  (_, pick) => ({ command: ['bash', '-c', `cat script > >(${pick(SHELLS)})`] }),
  (_, pick) => ({ command: ['sh', '-c', `${pick(SHELLS)} < script`] }),
  (_, pick) => ({ command: [pick(SHELLS), 'script'] }),
  (_, pick) => ({
    command: [pick(['cmd', 'cmd.exe', 'CMD.EXE']), pick(['/c', '/C', '/k', '/s/c']), 'to^uch', 'forb^idden'],
  }),
  (_, pick) => ({
    command: [
      pick(['powershell', 'pwsh.exe', 'PowerShell']),
      pick(['-enc', '-EncodedCommand', '-e', '-ec']),
      'dABvAHUA',
    ],
  }),
  () => ({ command: ['make', 'SHELL=/bin/sh', 'X=$(shell to""uch forbidden)'] }),
  () => ({ command: ['git', '-c', 'alias.x=!sh script', 'x'] }),
  (script) => ({ command: ['git', 'rebase', '--exec', script] }),
];

/** What may stand before a command and changes nothing of what it runs. */
const BEFORE: readonly (readonly string[])[] = [
  ['nohup'],
  ['nice', '-n', '5'],
  ['timeout', '5'],
  ['setsid'],
  ['env', 'CI=1'],
  ['stdbuf', '-oL'],
  ['/usr/bin/env'],
  ['./wrapper'],
  ['unknown-wrapper', '--'],
];

describe('a call that hands words to an interpreter, where something is denied', () => {
  const policy = permissions([{ allow: 'run_command' }, { deny: 'run_command(touch forbidden*)' }]);
  const { decide } = policy;

  it('is asked about or denied, whatever the interpreter, the way and what stands before it', () => {
    verifies('toolbox.permissions.interpreters');
    const next = numbers(7);
    const pick = <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)] as T;
    const allowed: string[] = [];
    for (let round = 0; round < 1500; round += 1) {
      let call = HANDS[round % HANDS.length]?.(pick(HIDDEN), pick) ?? { command: [] };
      for (let depth = Math.floor(next() * 3); depth > 0; depth -= 1)
        call =
          next() < 0.5
            ? { ...call, command: [...pick(BEFORE), ...call.command] }
            : { ...call, command: [pick(['sh', 'bash']), '-c', join(call.command)] };
      if (decide('run_command', { ...call }).verdict === 'allow') allowed.push(JSON.stringify(call));
    }
    expect(allowed).toEqual([]);
  });

  it.each([
    [['touch', 'forbidden0']],
    [['TOUCH.com', 'forbidden']],
    [['touch.exe.', 'forbidden']],
    [['sh', '-c', 'touch forbidden']],
    [['./wrapper', 'touch', 'forbidden']],
    [['python3', '-c', 'os.system("touch forbidden")']],
  ])('%j is denied, because its words can be read', (command) => {
    expect(decide('run_command', { command }).verdict).toBe('deny');
  });

  it.each([
    [{ command: ['npm', 'test'] }],
    [{ command: ['node', 'script.js', '--port', '3'] }],
    [{ command: ['python3', '-m', 'pytest', '-q'] }],
    [{ command: ['sed', '-n', '1,20p', 'a.txt'] }],
    [{ command: ['make', '-j4', 'test'] }],
    [{ command: ['sh', '-c', 'npm test 2>&1 | tail -5 && git status'] }],
    [{ command: ['git', 'commit', '-m', 'It costs $5, see `x`'] }],
    [{ command: ['cat'], input: 'touch forbidden' }],
    [{ command: ['find', '.', '-name', '*.ts'] }],
  ])('%j, which hands over nothing, is not asked about', (input) => {
    expect(decide('run_command', input).verdict).toBe('allow');
  });

  it('is asked about only where a rule denies or asks about commands', () => {
    const input = { command: ['sh'], input: 'ls' };
    const against = { ask: 'run_command(git push *)' };
    expect(permissions([{ allow: 'run_command' }]).decide('run_command', input).verdict).toBe('allow');
    expect(permissions([{ allow: '*' }, { deny: 'write_file(a)' }]).decide('run_command', input).verdict).toBe('allow');
    expect(permissions([{ allow: '*' }, against]).decide('run_command', input)).toMatchObject({
      verdict: 'ask',
      // It counts as asked about by a rule, so that no answer for all commands covers it.
      rule: against,
      reason: expect.stringContaining('sh with an input'),
    });
  });
});

describe('a rule that allows a call as it was shown', () => {
  it('covers no other input', () => {
    verifies('toolbox.permissions.whole');
    const { decide } = permissions([{ allow: 'run_command(sh)' }, { allow: 'run_command(cat)' }]);
    const given = { command: ['sh'], input: 'echo hello' };
    expect(decide('run_command', given)).toMatchObject({ verdict: 'ask', reason: expect.stringContaining('input') });
    expect(decide('run_command', given).suggestion).toBeUndefined();
    for (const command of [
      ['sh', '-c', 'echo ls | sh'],
      ['sh', '-c', 'sh < x'],
      ['sh', '-c', 'sh <<< x'],
    ])
      expect(decide('run_command', { command }).verdict).toBe('ask');
    expect(decide('run_command', { command: ['cat'], input: 'text' }).verdict).toBe('allow');
  });

  it('covers no other value of any member of another tool, at any depth', () => {
    verifies('toolbox.permissions.whole');
    const shown = { to: 'bob', amount: 5, urgent: false, note: { text: 'rent', tags: ['a', 'b'] } };
    const { suggestion } = permissions([]).decide('bank_transfer', shown);
    expect(suggestion).toEqual({
      allow: 'bank_transfer(note.tags=b|note.tags=a|note.text=rent|urgent=false|amount=5|to=bob)',
    });
    const { decide } = permissions(suggestion === undefined ? [] : [suggestion]);
    expect(decide('bank_transfer', shown).verdict).toBe('allow');
    for (const other of [
      { ...shown, amount: 6 },
      { ...shown, amount: 55 },
      { ...shown, urgent: true },
      { ...shown, from: 'alice' },
      { ...shown, from: null },
      { ...shown, more: {} },
      { ...shown, to: 'rent', note: { text: 'bob', tags: [] } },
      { ...shown, note: { text: 'rent', tags: ['a', 'c'] } },
      { ...shown, 'note.text': 'rent' },
      { to: 'bob', amount: 'bob', urgent: false },
    ])
      expect([other, decide('bank_transfer', other).verdict]).toEqual([other, 'ask']);
  });

  it('takes a pattern without a name for the value of the only member', () => {
    const { decide } = permissions([
      { allow: 'lookup(docs/**)' },
      { allow: 'send(to=*|text=hi)' },
      { deny: 'send(to=eve)' },
    ]);
    expect(decide('lookup', { path: 'docs/a' }).verdict).toBe('allow');
    expect(decide('lookup', { paths: ['docs/a', 'docs/b'] }).verdict).toBe('allow');
    expect(decide('lookup', { path: 'docs/a', depth: 2 }).verdict).toBe('ask');
    expect(decide('send', { to: 'a/b c', text: 'hi' }).verdict).toBe('allow');
    expect(decide('send', { TO: 'Eve', text: 'hi' }).verdict).toBe('deny');
  });

  it('covers exactly the calls with the same values, of hundreds of random ones', () => {
    const next = numbers(11);
    const value = (depth: number): unknown => {
      const kind = Math.floor(next() * (depth > 2 ? 5 : 7));
      if (kind === 5) return Array.from({ length: Math.floor(next() * 3) }, () => value(depth + 1));
      if (kind === 6) return object(depth + 1);
      return ['bob', 'a|b', '../x', Math.floor(next() * 3), next() < 0.5][kind];
    };
    const object = (depth: number): Record<string, unknown> =>
      Object.fromEntries(
        Array.from({ length: 1 + Math.floor(next() * 3) }, () => [
          ['a', 'b', 'c'][Math.floor(next() * 3)],
          value(depth),
        ]),
      );
    let covered = 0;
    for (let round = 0; round < 500; round += 1) {
      const [shown, other] = [object(0), object(0)];
      const { suggestion } = permissions([]).decide('tool', shown);
      if (suggestion === undefined) continue;
      covered += 1;
      const { decide } = permissions([suggestion]);
      expect(decide('tool', shown).verdict).toBe('allow');
      const leaves = (each: unknown, name = ''): string[] =>
        typeof each === 'object' && each !== null && Object.keys(each).length > 0
          ? Object.entries(each).flatMap(([key, inner]) => leaves(inner, Array.isArray(each) ? name : `${name}.${key}`))
          : [`${name}=${typeof each === 'string' ? each : JSON.stringify(each)}`];
      const isWithin = leaves(other).every((each) => leaves(shown).includes(each));
      const { verdict } = decide('tool', other);
      expect([suggestion, other, verdict === 'ask' || isWithin]).toEqual([suggestion, other, true]);
    }
    expect(covered).toBeGreaterThan(250);
  });
});

it('a rule that names a value covers that text, and no path that leads to the same', () => {
  verifies('toolbox.permissions.whole');
  const policy = permissions([{ allow: 'pay(to=bob|amount=5)' }], { root: '/srv/shop' });
  const verdictOf = (to: string): string => policy.decide('pay', { to, amount: 5 }).verdict;
  expect(verdictOf('bob')).toBe('allow');
  for (const to of ['./bob', 'bob/', 'x/../bob', '/srv/shop/bob', ' bob']) {
    expect(verdictOf(to)).toBe('ask');
    const { suggestion } = policy.decide('pay', { to, amount: 5 });
    expect(suggestion && 'allow' in suggestion && suggestion.allow).toContain('bob');
  }
});
