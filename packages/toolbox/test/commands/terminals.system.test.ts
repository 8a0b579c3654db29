import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { verifies } from '@kernel/testing';
import { describe, expect, it, vi } from 'vitest';
import { detectIsolation, type Isolation, linuxNamespaces, type Terminals } from '../../src/commands/index.ts';
import { systemFeature } from '../../../../test/setup/system-feature.ts';
import { fakeTerminals } from './fake-terminals.ts';
import { processesWith } from './isolations.ts';
import { commands } from './support.ts';

/** A rejection that somebody looks at later. */
function lost(reason: string): Promise<never> {
  const rejected = Promise.reject(new Error(reason));
  rejected.catch(() => undefined);
  return rejected;
}

describe('a command in a terminal of somebody who decides on it', () => {
  it('runs here, isolated, where that is required and where it reads a text', async () => {
    verifies('toolbox.terminals.decided');
    const terminals: Terminals = { decidesOnCommands: true, start: () => lost('used') };
    const isolation: Isolation = {
      name: 'says so',
      wrap: ({ variables }) => ({ program: '/bin/echo', args: ['isolated here'], variables }),
    };
    const { run } = await commands({ terminals, isolation });
    expect((await run(['cat'], { input: 'x' })).forLLM).toContain('isolated here');
    const byName: Isolation = { ...isolation, wrap: ({ variables }) => ({ program: 'echo', args: [], variables }) };
    expect((await (await commands({ terminals, isolation: byName })).run(['cat'], { input: 'x' })).forLLM).toContain(
      '"echo" cannot be started: its isolation gave no absolute path.',
    );
    const required = await commands({ terminals, isolation: 'required' });
    expect((await required.run(['echo', '1'])).forLLM).not.toContain('used');
  });
});

describe('a command in a terminal of an editor', () => {
  it('is started with the id of its call, and its terminal is released once it has ended', async () => {
    verifies('toolbox.terminals.run');
    const { run, editor, folder } = await commands({ isInTerminal: true, setVariables: { TOKEN: 'a-secret' } });
    const { forLLM, data } = await run(['bash', '-c', 'echo "$TOKEN"; [ -t 0 ] || readlink /proc/self/fd/0; exit 7']);
    expect(forLLM).toMatch(/^Exit code 7 after \d+\.\d s\.\na-secret\n\/dev\/null\n$/);
    expect(data).toMatchObject({ exitCode: 7 });
    expect(editor.calls).toMatchObject([{ callId: 'call', cwd: folder, variables: { TOKEN: 'a-secret' } }]);
    expect([...editor.open]).toEqual([]);
    // An editor shows the words of a command.
    expect(JSON.stringify(editor.calls[0]?.args)).not.toContain('a-secret');
  });

  it('has no variables of the editor, and its words are those that were given', async () => {
    verifies('toolbox.terminals.run');
    const { run } = await commands({ isInTerminal: true });
    expect((await run(['env'])).forLLM).not.toContain('EDITOR_KEY');
    expect((await run(['printf', '%s|', '$HOME', '`id`', 'a b', "'", '--', ''])).forLLM).toContain(
      "$HOME|`id`|a b|'|--||",
    );
  });

  it('is run by a name with an equals sign too', async () => {
    const { run, folder } = await commands({ isInTerminal: true });
    await run(['bash', '-c', 'printf "#!/bin/sh\\necho ran\\n" > a=b; chmod +x a=b']);
    expect(existsSync(join(folder, 'a=b'))).toBe(true);
    expect((await run(['./a=b'])).forLLM).toContain('ran');
  });

  it('with an input runs in a process of this program', async () => {
    verifies('toolbox.terminals.run');
    const { run, editor } = await commands({ isInTerminal: true });
    expect((await run(['cat'], { input: 'given' })).forLLM).toContain('given');
    expect(editor.calls).toEqual([]);
  });

  it('keeps the end of an output that the editor cuts, and says so', async () => {
    verifies('toolbox.terminals.run');
    const { run } = await commands({ isInTerminal: true, maxOutputBytes: 1000 });
    const { forLLM } = await run(['bash', '-c', 'head -c 2000000 /dev/zero | tr "\\0" x; echo last']);
    expect(forLLM).toContain('(what was before is left out)');
    expect(forLLM.trimEnd().endsWith('last')).toBe(true);
    expect(forLLM.length).toBeLessThan(1300);
  });
});

describe('isolation in terminals', () => {
  it('is used where it works, and where nothing does every result says so, and whose rights a command has', async () => {
    verifies('toolbox.terminals.isolation');
    const { isolation: found } = await detectIsolation();
    expect(found === undefined || found.worksInTerminals === true).toBe(true);
    const auto = await commands({ isInTerminal: true, isolation: 'auto' });
    const { forLLM } = await auto.run(['echo', 'ran']);
    expect(forLLM).toContain('ran');
    expect(forLLM.includes('all rights of the editor')).toBe(found === undefined);
    expect(auto.editor.calls).toHaveLength(1);
    const required = await commands({ isInTerminal: true, isolation: 'required' });
    expect((await required.run(['echo', 'ran'])).isError).toBe(found === undefined ? true : undefined);
  });

  const feature = systemFeature('namespaces in terminals', process.platform === 'linux');
  it.each(['SIGTERM', 'SIGHUP', 'SIGKILL'] as const)(
    'ends with all that a command started when its terminal ends it with %s',
    feature.options,
    async (signal) => {
      verifies('toolbox.terminals.isolation');
      const mark = `mark-${crypto.randomUUID()}`;
      const editor = fakeTerminals((terminal) => ({
        ...terminal,
        // Its own process alone, as an editor without groups does.
        kill: async () => void process.kill(editor.calls[0]?.pid ?? 0, signal),
        release: async () => {},
      }));
      const { run, folder } = await commands({ isolation: linuxNamespaces(), terminals: editor.terminals });
      const stop = new AbortController();
      const script = 'setsid sleep 1000 & trap "" TERM HUP; echo > started; sleep 1000; true';
      const result = run(['bash', '-c', script, mark], {}, { signal: stop.signal });
      await vi.waitUntil(() => existsSync(join(folder, 'started')), { timeout: 60_000 });
      expect(processesWith(mark)).not.toEqual([]);
      stop.abort();
      await result;
      await vi.waitUntil(() => processesWith(mark).length === 0, { timeout: 60_000 });
    },
  );
});
