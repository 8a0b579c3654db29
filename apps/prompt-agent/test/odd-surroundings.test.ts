import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, rmdirSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startWireServer, verifies, type WireServer } from '@kernel/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { environmentAt, promptHere, workspace } from './program.ts';

const CLI = fileURLToPath(new URL('../dist/cli.js', import.meta.url));

let server: WireServer;
beforeEach(async () => {
  server = await startWireServer({ replies: () => ({ text: 'ok' }) });
});
afterEach(() => server.close());

/** The program's own command line, for a shell. */
const shellLine = (...words: readonly string[]): string =>
  [process.execPath, CLI, '--base-url', server.baseUrl, '-m', 'm', '-q', ...words].map((word) => `'${word}'`).join(' ');

/** Runs a line in bash. */
function bash(line: string, cwd: string): Promise<{ readonly code: number | null; readonly stdout: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn('bash', ['-c', line], { cwd, env: environmentAt(cwd), stdio: ['ignore', 'pipe', 'inherit'] });
    let stdout = '';
    child.stdout.setEncoding('utf8').on('data', (piece: string) => {
      stdout += piece;
    });
    child.on('error', reject).on('close', (code) => resolve({ code, stdout }));
  });
}

describe('a folder that was deleted while a shell is in it', () => {
  test('is a usage error that says so; the help is printed all the same', async () => {
    verifies('cli.folder.deleted');
    const cwd = workspace();
    mkdirSync(join(cwd, 'gone'));
    const line = `cd gone; rmdir ../gone; ${shellLine('--json', 'hi')} 2>/dev/null; echo " $?"; ${shellLine('--help')}`;
    const { stdout } = await bash(line, cwd);
    expect(() => rmdirSync(join(cwd, 'gone'))).toThrow('ENOENT');
    expect(stdout).toMatch(/"message":"The current folder no longer exists\..*\n 2\nUsage: /);
  });
});

describe('stderr that nobody reads', () => {
  test.each(['2> >(exec true)', '2>&-', '2>/dev/null'])('loses no answer: %s', async (redirection) => {
    verifies('cli.streams.stderr');
    const { code, stdout } = await bash(`${shellLine('hi').replace("'-q'", '')} ${redirection}`, workspace());
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'ok\n' });
  });
});

describe('-f of a pipe that the shell made', () => {
  test('sends what a command prints', async () => {
    verifies('cli.ask.fragments');
    expect((await bash(`${shellLine('-f')} <(echo one; echo two) 'sum up'`, workspace())).stdout).toBe('ok\n');
    expect(JSON.stringify(server.requests[0]?.body)).toMatch(/<file name=.*\/dev\/fd\/\d+.*>\\none\\ntwo\\n<\/file>/);
  });
});

describe('-f of a file without a size', () => {
  test.runIf(process.platform === 'linux')('sends what the system writes into it', async () => {
    verifies('cli.ask.fragments');
    await bash(shellLine('-f', '/proc/version', 'sum up'), workspace());
    expect(JSON.stringify(server.requests[0]?.body)).toContain(
      JSON.stringify(readFileSync('/proc/version', 'utf8'))
        .slice(1, -1)
        .replaceAll('"', String.raw`\"`),
    );
  });
});

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
