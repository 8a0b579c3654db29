import { chmodSync, mkdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { startWireServer, verifies, type WireServer } from '@kernel/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { promptHere, workspace } from './program.ts';

let server: WireServer;
beforeEach(async () => {
  server = await startWireServer({ replies: () => ({ text: 'ok' }) });
});
afterEach(() => server.close());

describe('-f of a folder with large files that are not text', () => {
  test('leaves them out, and counts only what is sent', async () => {
    verifies('cli.ask.fragments');
    const large = new Uint8Array(9 * 1024 * 1024);
    const cwd = workspace({
      'docs/a.txt': 'hello\n',
      'docs/b.bin': large,
      'docs/c.bin': large,
      'docs/d.bin': new Uint8Array(17 * 1024 * 1024),
    });
    const { code, stderr } = await promptHere(['--base-url', server.baseUrl, '-m', 'm', '-f', 'docs', 'hi'], { cwd });
    expect(code).toBe(0);
    expect(stderr).toContain('-f docs: 1 file, 3 left out');
  });
});

describe('a list of keys that cannot be read', () => {
  const file = '.config/prompt-agent/keys.json';

  test.each([
    ['{"openai":{"key":"sk-1"},}', 'openai'],
    ['["openai"]', 'openai'],
  ])('is not replaced by one with a single key: %s', async (content, provider) => {
    verifies('cli.keys.damaged');
    const cwd = workspace({ [file]: content });
    const { code, stderr } = await promptHere(['keys', 'set', provider], { cwd, input: 'sk-2' });
    expect(code).toBe(2);
    expect(stderr).toContain('is not a JSON object, and was not changed');
    expect(readFileSync(join(cwd, file), 'utf8')).toBe(content);
    expect((await promptHere(['2+2'], { cwd })).stdout).toBe('4\n');
  });

  test('keeps entries that a newer release wrote', async () => {
    verifies('cli.keys.damaged');
    const cwd = workspace({ [file]: '{"vault":{"path":"a/b"}}' });
    expect((await promptHere(['keys', 'set', 'groq'], { cwd, input: 'sk-2' })).code).toBe(0);
    expect(JSON.parse(readFileSync(join(cwd, file), 'utf8'))).toEqual({
      vault: { path: 'a/b' },
      groq: { key: 'sk-2' },
    });
  });

  test.each(['sk-a\u200Bb', 'sk-ä', 'sk-\u0007', '“sk-1”'])('takes no key that no header can hold: %j', async (key) => {
    verifies('cli.keys');
    const cwd = workspace();
    const { code, stderr } = await promptHere(['keys', 'set', 'groq'], { cwd, input: key });
    expect(code).toBe(2);
    expect(stderr).not.toContain(key);
  });
});

describe('a file of another program in the place of the sessions', () => {
  test.each(['not a database, but precious\n'.repeat(10), 'x'])('keeps its content and its mode', async (content) => {
    verifies('cli.sessions.foreign.mode');
    const cwd = workspace({ 'precious.txt': content });
    const state = join(cwd, '.local/state/prompt-agent');
    mkdirSync(state, { recursive: true });
    chmodSync(join(cwd, 'precious.txt'), 0o644);
    symlinkSync(join(cwd, 'precious.txt'), join(state, 'sessions.db'));
    expect((await promptHere(['2+2'], { cwd })).stdout).toBe('4\n');
    expect(readFileSync(join(cwd, 'precious.txt'), 'utf8')).toBe(content);
    expect(statSync(join(cwd, 'precious.txt')).mode & 0o777).toBe(0o644);
  });

  test('is not so for the sessions themselves: others cannot read them', async () => {
    verifies('cli.sessions.foreign.mode');
    const cwd = workspace();
    await promptHere(['2+2'], { cwd });
    const path = join(cwd, '.local/state/prompt-agent/sessions.db');
    chmodSync(path, 0o644);
    await promptHere(['2+2'], { cwd });
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });
});

describe('the folder of the compiled program', () => {
  test('is closed to tools, as it holds code that the next start runs', async () => {
    verifies('cli.cache.closed');
    const cwd = workspace();
    const cache = join(cwd, 'cache');
    mkdirSync(join(cache, 'prompt-agent'), { recursive: true });
    const args = ['tools', 'call', '--bundle', 'code_agent', '--yes', 'write', 'write_file'];
    const written = await promptHere([...args, '{"path":"cache/prompt-agent/x","content":"x"}'], {
      cwd,
      env: { XDG_CACHE_HOME: cache },
    });
    expect([written.code, written.stdout]).toEqual([1, expect.stringContaining('cache/prompt-agent')]);
    const other = await promptHere([...args, '{"path":"cache/x","content":"x"}'], {
      cwd,
      env: { XDG_CACHE_HOME: cache },
    });
    expect(other.code).toBe(0);
  });
});
