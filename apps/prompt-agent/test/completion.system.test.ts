import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { verifies } from '@kernel/testing';
import { describe, expect, test } from 'vitest';
import { COMMAND_NAMES } from '../src/options/commands.ts';
import { FLAGS } from '../src/options/flags.ts';
import { promptHere, workspace } from './program.ts';

describe('completion and man', () => {
  test('the bash script completes commands, subcommands and the flags of each', async () => {
    verifies('cli.completion');
    const { stdout } = await promptHere(['completion', 'bash']);
    const complete = (...words: string[]): readonly string[] => {
      const set = `COMP_WORDS=(prompt-agent ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}`;
      const script = `${stdout}\n${set}; _prompt_agent; printf '%s\\n' "\${COMPREPLY[@]}"`;
      const env = { PATH: process.env['PATH'] };
      return execFileSync('bash', ['-c', script], { encoding: 'utf8', cwd: workspace(), env }).trim().split('\n');
    };
    expect(complete('doc')).toEqual(['doctor']);
    expect(complete('tools', 'l')).toEqual(['list', 'lint']);
    expect(complete('tools', 'price', '--pr')).toEqual(['--price']);
    expect(complete('no')).toEqual(['notes.md']);
    expect(complete('--provi')).toEqual(['--provider']);
  });

  test('that of zsh uses what zsh has, and completes commands and flags where zsh is installed', async () => {
    verifies('cli.completion.zsh');
    const { stdout } = await promptHere(['completion', 'zsh']);
    expect(stdout).toMatch(/^#compdef prompt-agent\n/);
    expect(stdout).not.toMatch(/COMPREPLY|COMP_WORDS|compgen|bashcompinit/);
    if (spawnSync('zsh', ['--version']).status !== 0) return;
    const file = join(workspace({ _script: stdout }), '_script');
    const complete = (...words: string[]): string[] => {
      const list = ['prompt-agent', ...words].map((word) => `'${word}'`).join(' ');
      const script = `compadd() { print -l -- "\${@:2}" }; _files() { print FILES }; compdef() { }; source '${file}'; words=(${list}); CURRENT=${words.length + 1}; _prompt_agent`;
      return execFileSync('zsh', ['-f', '-c', script], { encoding: 'utf8' }).trim().split('\n');
    };
    expect(complete('doc')).toEqual(expect.arrayContaining(['doctor', 'tools', 'FILES']));
    expect(complete('tools', 'l')).toEqual(expect.arrayContaining(['list', 'lint']));
    expect(complete('tools', 'price', '--pr')).toContain('--price');
    expect(complete('-q', 'review', 'no')).toEqual(['FILES']);
  });

  test('each script names each command and flag, and an unknown shell exits 2', async () => {
    verifies('cli.completion');
    for (const shell of ['bash', 'zsh', 'fish']) {
      // oxlint-disable-next-line no-await-in-loop -- in this process
      const { stdout } = await promptHere(['completion', shell]);
      for (const name of COMMAND_NAMES) expect(stdout).toContain(name.split(' ').at(-1));
      const flags = Object.entries(FLAGS).filter(([, spec]) => !('aliasOf' in spec));
      for (const [flag] of flags) expect(stdout).toContain(flag);
    }
    for (const args of [['completion'], ['completion', 'tcsh']])
      // oxlint-disable-next-line no-await-in-loop -- in this process
      expect((await promptHere(args)).code).toBe(2);
  });

  test('the manual page has every command, flag and exit code, and no line that roff reads as a request', async () => {
    verifies('cli.man');
    const { stdout } = await promptHere(['man']);
    for (const name of COMMAND_NAMES.filter((each) => each !== 'ask'))
      expect(stdout).toContain(`prompt\\-agent ${name}`);
    for (const flag of Object.keys(FLAGS)) expect(stdout).toContain(`\\-\\-${flag.replaceAll('-', '\\-')}`);
    expect(stdout).toContain('.B 130\n');
    for (const line of stdout.split('\n')) expect(line).toMatch(/^(?:\.(?:TH|SH|TP|B|br)\b.*|[^.'].*|)$/);
  });
});
