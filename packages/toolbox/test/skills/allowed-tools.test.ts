import { chmodSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { PermissionRule } from '../../src/permissions/index.ts';
import { verifies } from '@kernel/testing';
import { describe, expect, it } from 'vitest';
import { loadSkills } from '../../src/skills/index.ts';
import { splitTools, toRules } from '../../src/skills/allowed-tools.ts';
import { caller } from '../memory/support.ts';
import { skillFolder, skillMd } from './support.ts';

const signal = new AbortController().signal;
const scripts = { folder: '/skills/a b', files: new Set(['scripts/run.sh', 'x.py']) };

describe('allowed-tools becomes rules where its meaning is clear', () => {
  it.each([
    ['Bash(git:*)', 'run_command(git *)'],
    ['Bash(git *)', 'run_command(git *)'],
    ['Bash(git status:*)', 'run_command(git status *)'],
    ['Bash(npm run test)', 'run_command(npm run test)'],
    ['Bash', 'run_command'],
    ['Bash(*)', 'run_command'],
    ['Bash(scripts/run.sh:*)', 'run_command(/skills/a\\ b/scripts/run.sh)'],
    ['Bash(python ./x.py:*)', 'run_command(python /skills/a\\ b/x.py)'],
    ['run_command(jq .a *)', 'run_command(jq .a)'],
    ['Bash(npm run build:*)', 'run_command(npm run build)'],
    ['Bash(grep:*)', 'run_command(grep *)'],
    ['Read', 'read_file'],
    ['Read(src/**)', 'read_file(src/**)'],
    ['Write(docs/*.md)', 'write_file(docs/*.md)'],
    ['Edit', 'edit_file'],
    ['Grep', 'search_text'],
    ['Glob', 'glob'],
    ['WebFetch(domain:Docs.example.com)', 'fetch_url(https://docs.example.com/**)'],
    ['WebSearch', 'web_search'],
  ])('%s is %s', (entry, allow) => {
    verifies('toolbox.skills.allowed');
    expect(toRules([entry], scripts)).toEqual({ rules: [{ allow }], ignored: [] });
  });

  it.each([
    'mcp__server__tool',
    'Task',
    'bash(git:*)',
    'constructor',
    '__proto__',
    'Bash(git)x',
    'Bash(python:*)',
    'Bash(make *)',
    'Bash(./deploy.sh:*)',
    'Bash(bin/tool:*)',
    'Bash(git* status)',
    'Bash(rm -rf $HOME)',
    'Bash(git:*; rm)',
    'Bash(a | b)',
    'Bash(a|b)',
    'Bash(git "x")',
    'Bash(echo (x))',
    'Bash()',
    'Read(/etc/passwd)',
    'Read(~/.ssh/id_rsa)',
    'Read(../x)',
    'Read(a/../../x)',
    'Read(src|/etc/**)',
    'WebFetch(example.com)',
    'WebFetch(domain:example.com/x)',
    'WebFetch(domain:*)',
    'WebSearch(cats)',
    `Bash(${'x '.repeat(2000)})`,
  ])('%.40s allows nothing and is reported', (entry) => {
    verifies('toolbox.skills.allowed');
    const { ignored, rules } = toRules([entry], scripts);
    expect(rules).toEqual([]);
    expect(ignored).toHaveLength(1);
  });

  it('entries are split at spaces and commas outside of parentheses', () => {
    expect(splitTools('Bash(git status:*), Read  Write(a b)\n,Grep')).toEqual([
      'Bash(git status:*)',
      'Read',
      'Write(a b)',
      'Grep',
    ]);
    expect(splitTools(') (a b')).toEqual([')', '(a b']);
  });
});

describe('what a skill is allowed', () => {
  async function using(
    tools: string,
    rules: readonly PermissionRule[] = [],
    options: object = {},
    from = 'user' as 'user' | 'project',
  ) {
    const text = skillMd(`name: build\ndescription: x\nallowed-tools: ${tools}`);
    const folder = skillFolder('build', text, { 'run.sh': 'echo good' });
    chmodSync(join(folder, 'run.sh'), 0o755);
    const skills = await loadSkills({ folders: [{ path: dirname(folder), from }], approve: () => true });
    if (skills.tool === undefined) throw new Error('no skill');
    const policy = skills.permissions(rules, options);
    const call = caller(skills.tool);
    const decide = (...command: readonly string[]) => policy.decide('run_command', { command }).verdict;
    const approve = (...command: readonly string[]) =>
      policy.approve({
        call: { type: 'tool-call', id: '1', name: 'run_command', arguments: JSON.stringify({ command }) },
        tool: { name: 'run_command', description: '', parameters: { type: 'object' } },
        signal,
      });
    return { approve, decide, folder, policy, skills, use: () => call('skill', { name: 'build' }) };
  }

  it('holds from when the skill is loaded until it is released', async () => {
    verifies('toolbox.skills.allowed');
    const { approve, decide, skills, use } = await using('Bash(make all)');
    expect(decide('make', 'all')).toBe('ask');
    expect((await use()).forUser).toBe(
      'Skill "build" is in use. It may use without a question: run_command(make all).',
    );
    expect(decide('make', 'all')).toBe('allow');
    expect(await approve('make', 'all')).toEqual({ decision: 'allow' });
    expect(decide('rm', '-rf', '/')).toBe('ask');
    expect(decide('bash', '-c', 'make all; rm -rf /')).toBe('ask');
    skills.release('build');
    expect(decide('make', 'all')).toBe('ask');
    expect(await approve('make', 'all')).toMatchObject({ decision: 'deny' });
  });

  it('never goes beyond a rule that denies or asks, nor a default that denies', async () => {
    verifies('toolbox.skills.allowed');
    const denied = await using('Bash Read', [
      { deny: 'run_command(rm *)' },
      { ask: 'run_command(git push *)' },
      { deny: '*(**/.env)' },
    ]);
    await denied.use();
    expect(denied.decide('rm', 'x')).toBe('deny');
    expect(denied.decide('git', 'push')).toBe('ask');
    expect(denied.decide('ls')).toBe('allow');
    expect(denied.policy.decide('read_file', { path: 'a/.env' }).verdict).toBe('deny');
    expect(denied.policy.decide('write_file', { path: 'a' }).verdict).toBe('ask');
    const closed = await using('Bash', [], { default: 'deny' });
    await closed.use();
    expect(closed.decide('ls')).toBe('deny');
  });

  it('counts together with the rules of the policy, which stay its own', async () => {
    verifies('toolbox.skills.allowed');
    const { decide, policy, use } = await using('Bash(make all)', [{ allow: 'run_command(ls *)' }]);
    await use();
    expect(decide('bash', '-c', 'ls && make all')).toBe('allow');
    policy.remember({ deny: 'run_command(make all)' });
    expect(decide('make', 'all')).toBe('deny');
    expect(policy.rules()).toEqual([{ allow: 'run_command(ls *)' }, { deny: 'run_command(make all)' }]);
  });

  it('ends when a file of a pinned skill is another one, before its script runs', async () => {
    verifies('toolbox.skills.allowed');
    verifies('toolbox.skills.swap');
    const { approve, folder, skills, use } = await using('Bash(run.sh:*)', [], {}, 'project');
    await use();
    const script = join(folder, 'run.sh');
    expect(await approve(script)).toEqual({ decision: 'allow' });
    expect(await approve(script, 'x')).toMatchObject({ decision: 'deny' });
    writeFileSync(script, 'echo evil');
    expect(await approve(script)).toMatchObject({ decision: 'deny' });
    expect(skills.list()).toEqual([]);
  });
});
