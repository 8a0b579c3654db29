import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { verifies } from '@kernel/testing';
import { describe, expect, it, vi } from 'vitest';
import { bash, homeWithStartUpFiles } from '../../../../test/setup/start-up-files.ts';
import { commands, PLACES } from './support.ts';

describe('start-up files of a shell', bash.options, () => {
  it('are read by bash where its input is a pipe of Node and nothing says otherwise', async () => {
    const { home, wereRead } = homeWithStartUpFiles();
    const child = spawn('bash', ['-c', 'true'], { env: { PATH: process.env['PATH'], HOME: home } });
    await once(child, 'close');
    expect(wereRead()).toBe(true);
  });

  it.each(PLACES)('are not read by a command $place', async ({ isInTerminal }) => {
    verifies('toolbox.commands.startup');
    const { wereRead } = homeWithStartUpFiles();
    const { run, use } = await commands({ isInTerminal });
    for (const rest of [{}, { input: 'text' }]) {
      const { forLLM } = await run(['bash', '-c', 'echo "command $HOME"'], rest);
      expect(forLLM).toContain('command ');
      expect(forLLM).not.toContain('STARTED');
    }
    await run(['bash', '-c', 'echo in the background'], { background: true });
    const { forLLM } = await use('read_output', { id: 'command-1', wait_seconds: 60 });
    expect(forLLM).not.toContain('STARTED');
    expect(wereRead()).toBe(false);
  });

  it.each(['0', '-1', '999', 'none', undefined])('are not read where SHLVL is %s', async (SHLVL) => {
    verifies('toolbox.commands.startup');
    const { wereRead } = homeWithStartUpFiles();
    vi.stubEnv('SHLVL', SHLVL);
    const { run } = await commands({ variables: ['PATH', 'HOME', 'SHLVL'] });
    expect((await run(['bash', '-c', 'echo command'])).forLLM).not.toContain('STARTED');
    expect(wereRead()).toBe(false);
  });

  it('are read where the names of the variables say so', async () => {
    const { wereRead } = homeWithStartUpFiles();
    const { run } = await commands({ variables: ['PATH', 'HOME', 'BASH_ENV'] });
    expect((await run(['bash', '-c', 'true'])).forLLM).toContain('STARTED');
    expect(wereRead()).toBe(true);
  });
});
