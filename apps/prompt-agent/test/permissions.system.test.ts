import { rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startWireServer, verifies } from '@kernel/testing';
import { expect, test, vi } from 'vitest';
import { fakeTerminal, inPseudoTerminal, plain, promptAt } from './terminals.ts';
import { BUNDLE, EDIT, project, RULES, textOf, working } from './permissions.support.ts';

test('"always" writes a rule for the workspace into a file that only the user can read, and the next run does not ask', async () => {
  verifies('cli.approval.kept', 'cli.approval.answers');
  const cwd = project();
  const server = await startWireServer({ replies: [{ calls: [EDIT] }, { text: 'Done.' }] });
  const terminal = fakeTerminal();
  const ended = promptAt(terminal, ['--base-url', server.baseUrl, '--model', 'm', ...BUNDLE, 'do it'], { cwd });
  await vi.waitFor(() => expect(plain(terminal.raw())).toContain('[y/N]'), 60_000);
  terminal.stdin.write('a\n');
  expect(await ended).toBe(0);
  await server.close();
  expect(textOf(cwd, 'a.txt')).toBe('two\n');
  expect(JSON.parse(textOf(cwd, RULES))).toEqual({ rules: [{ allow: 'edit_file(a.txt)', workspace: cwd }] });
  expect(statSync(join(cwd, RULES)).mode & 0o777).toBe(0o600);
  writeFileSync(join(cwd, 'a.txt'), 'one\n');
  expect(await working(cwd, [{ calls: [EDIT] }, { text: 'Done.' }], BUNDLE)).toMatchObject({ code: 0 });
  expect(textOf(cwd, 'a.txt')).toBe('two\n');
  // It holds for this workspace alone.
  const other = project({ [RULES]: textOf(cwd, RULES) });
  expect((await working(other, [{ calls: [EDIT] }], BUNDLE)).code).toBe(4);
});

test('--sandbox required exits 2 where nothing isolates commands, before a request is sent; off isolates none', async () => {
  verifies('cli.sandbox');
  const none = await working(project(), [{ text: 'never' }], [...BUNDLE, '--sandbox', 'required'], {
    NODE_OPTIONS: `--import=${new URL('fixtures/no-isolation.ts', import.meta.url).href}`,
  });
  expect(none).toMatchObject({ code: 2, stdout: '', requests: [] });
  expect(none.stderr).toContain(
    '--sandbox required: nothing isolates commands here. There is none for freebsd. Run this program in a container.',
  );
  const command = { name: 'run_command', arguments: { command: ['sh', '-c', 'echo ran'] } };
  const allow = ['--allow', 'run_command', '--sandbox', 'off'];
  const off = await working(project(), [{ calls: [command] }, { text: 'Done.' }], [...BUNDLE, ...allow]);
  expect(off.requests[1]).toContain('ran');
  expect(off.requests[1]).not.toContain('no way to isolate');
});

test('a rule that cannot be kept holds for the session, and the user reads so', async () => {
  verifies('cli.approval.kept');
  const cwd = project({ '.config/prompt-agent/x': '' });
  const server = await startWireServer({ replies: [{ calls: [EDIT] }, { text: 'Done.' }] });
  const terminal = fakeTerminal();
  const ended = promptAt(terminal, ['--base-url', server.baseUrl, '--model', 'm', ...BUNDLE, 'do it'], { cwd });
  await vi.waitFor(() => expect(plain(terminal.raw())).toContain('[y/N]'), 60_000);
  // The folder is gone, and a file has its name.
  rmSync(join(cwd, '.config/prompt-agent'), { recursive: true });
  writeFileSync(join(cwd, '.config/prompt-agent'), '');
  terminal.stdin.write('a\n');
  expect(await ended).toBe(0);
  await server.close();
  expect(textOf(cwd, 'a.txt')).toBe('two\n');
  expect(terminal.raw()).toContain('holds for this session alone');
});

test('in a pseudo-terminal an edit is asked about, its arguments are edited, and its diff has colours', async () => {
  verifies('cli.approval.answers', 'cli.changes');
  const cwd = project();
  const server = await startWireServer({ replies: [{ calls: [EDIT] }, { text: 'Done.' }] });
  const terminal = inPseudoTerminal(['--base-url', server.baseUrl, '--model', 'm', ...BUNDLE, 'do it'], { cwd });
  await terminal.sees('[y/N]');
  terminal.type('e\r');
  await terminal.sees('"new_text":"two"}]}');
  terminal.type('\u007F\u007F\u007F\u007F\u007Fee"}]}\r');
  expect(await terminal.ended).toBe(0);
  await server.close();
  expect(textOf(cwd, 'a.txt')).toBe('twee\n');
  expect(terminal.raw()).toContain('\u001B[31m  -one\u001B[0m');
  expect(terminal.raw()).toContain('\u001B[32m  +twee\u001B[0m');
});
