import { describe, expect, it } from 'vitest';
import { commandTools } from '../../src/commands/index.ts';
import { commands, PLACES } from './support.ts';

describe.each(PLACES)('background commands $place', ({ isInTerminal }) => {
  it('of one run are not seen by another', async () => {
    const { run, use } = await commands({ isInTerminal });
    const turn = { turn: 1, signal: new AbortController().signal };
    await run(['sleep', '100'], { background: true }, { turn });
    expect((await use('read_output', { id: 'command-1' })).forLLM).toContain('None has been started');
  });
});

describe('commandTools', () => {
  it('refuses options that nothing reads, and a workspace that programs cannot see', async () => {
    const { createWorkspace, memoryWorkspace } = await import('../../src/workspace/index.ts');
    const workspace = await createWorkspace({ root: '.' });
    // @ts-expect-error There is no such option.
    expect(() => commandTools({ workspace, sandbox: true })).toThrow('there is no option "sandbox"');
    expect(() => commandTools({ workspace, timeoutMs: 0 })).toThrow('timeoutMs');
    expect(() => commandTools({ workspace: memoryWorkspace() })).toThrow('a workspace on disk');
  });
});
