import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { promptHere } from './program.ts';
import { BUNDLE, EDIT, project, RULES, textOf, working } from './permissions.support.ts';

test('a rule without a workspace holds everywhere, and one that denies is stronger than any flag', async () => {
  verifies('cli.approval.kept', 'cli.yes');
  const allow = project({ [RULES]: '{"rules":[{"allow":"edit_file"}]}' });
  expect((await working(allow, [{ calls: [EDIT] }, { text: 'Done.' }], BUNDLE)).code).toBe(0);
  const deny = project({ [RULES]: '{"rules":[{"deny":"edit_file"}]}' });
  const flags = [...BUNDLE, '--yes', 'write,external,idempotent', '--allow', '*'];
  const { code, requests } = await working(deny, [{ calls: [EDIT] }, { text: 'Done.' }], flags);
  expect(code).toBe(0);
  expect(requests[1]).toContain('TOOL_DENIED');
  expect(textOf(deny, 'a.txt')).toBe('one\n');
  // Also for what the built-in tools read, without a bundle.
  const read = project({ [RULES]: '{"rules":[{"deny":"read_file(b.txt)"}]}' });
  const call = { name: 'read_file', arguments: { path: 'b.txt' } };
  expect((await working(read, [{ calls: [call] }, { text: 'Done.' }], [])).requests[1]).toContain('TOOL_DENIED');
});

test.each([
  ['not JSON', 'is not valid JSON'],
  ['', 'is not valid JSON: it is empty'],
  ['[]', 'must be an object, not an array'],
  ['{}', '"rules" is missing'],
  ['{"rule":[]}', 'there is no key "rule"; did you mean "rules"?'],
  ['{"rules":[{"alow":"x"}]}', '"rules[0]": there is no key "alow"; did you mean "allow"?'],
  ['{"rules":[{"allow":"x","deny":"y"}]}', '"rules[0]" must have one of "allow", "ask" and "deny"'],
  ['{"rules":[{"deny":"x","workspace":1}]}', '"rules[0].workspace" must be text, not a number'],
  ['{"rules":[{"deny":1},{"alow":"x"}]}', 'has 3 mistakes:\n  "rules[0].deny" must be text, not a number'],
  ['{"rules":[{"deny":"a b"}]}', 'The permission rule "a b"'],
])('a file of rules that cannot be read exits 2: %s', async (text, said) => {
  verifies('cli.approval.kept');
  const { code, stderr, stdout } = await promptHere([...BUNDLE, 'hi'], { cwd: project({ [RULES]: text }) });
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain(said);
  expect(stderr).toContain('permissions.json');
});

test('a tool can neither read nor write the own folders of the program, in a workspace that is the home folder', async () => {
  verifies('cli.approval.kept');
  const cwd = project({ [RULES]: '{"rules":[]}' });
  const rule = '{"rules":[{"allow":"*"}]}';
  const calls = [
    { name: 'write_file', arguments: { path: RULES, content: rule } },
    { name: 'read_file', arguments: { path: RULES } },
    { name: 'run_command', arguments: { command: ['sh', '-c', `echo '${rule}' > ${RULES}; cat ${RULES}`] } },
  ];
  await working(
    cwd,
    [...calls.map((call) => ({ calls: [call] })), { text: 'Done.' }],
    [...BUNDLE, '--yes', 'write,external'],
  );
  expect(textOf(cwd, RULES)).toBe('{"rules":[]}');
});

test('--yes allows the effects that it names alone', async () => {
  verifies('cli.yes');
  const command = { name: 'run_command', arguments: { command: ['touch', 'made'] } };
  const cwd = project();
  const { code } = await working(
    cwd,
    [{ calls: [EDIT] }, { calls: [command] }],
    [...BUNDLE, '--yes', 'write,idempotent'],
  );
  expect(code).toBe(4);
  expect(textOf(cwd, 'a.txt')).toBe('two\n');
  expect(existsSync(join(cwd, 'made'))).toBe(false);
  const asked = [...BUNDLE, '--yes', 'write,idempotent', '--ask', 'edit_file'];
  expect((await working(project(), [{ calls: [EDIT] }], asked)).code).toBe(4);
});

test.each([
  [['--yes', 'all'], '--yes "all" is not an effect; give read, idempotent, write, external'],
  [['--yes', ''], '--yes "" is not an effect'],
  [['--sandbox', 'yes', ...BUNDLE], '--sandbox "yes" is unknown; it is one of auto, required, off.'],
  [['--sandbox', 'off'], '--sandbox needs --bundle code_agent'],
])('%j exits 2 and names what is wrong', async (flags, said) => {
  verifies('cli.yes', 'cli.sandbox');
  const { code, stderr } = await promptHere([...flags, 'hi']);
  expect(code).toBe(2);
  expect(stderr).toContain(said);
});

test('undo takes back what the last run changed, run after run', async () => {
  verifies('cli.undo');
  const cwd = project();
  const write = (path: string, content: string) => ({ name: 'write_file', arguments: { path, content } });
  const yes = [...BUNDLE, '--yes', 'write,idempotent'];
  await working(cwd, [{ calls: [EDIT] }, { text: 'Done.' }], yes);
  await working(
    cwd,
    [{ calls: [write('new/c.txt', 'C\n')] }, { calls: [write('b.txt', 'BB\n')] }, { text: 'Done.' }],
    yes,
  );
  expect(textOf(cwd, 'b.txt')).toBe('BB\n');
  const first = await promptHere(['undo'], { cwd });
  expect(first).toMatchObject({ code: 0, stderr: '' });
  expect(first.stdout).toContain('restored: b.txt\n');
  expect(first.stdout).toContain('removed again: new/c.txt\n');
  expect([textOf(cwd, 'b.txt'), existsSync(join(cwd, 'new')), textOf(cwd, 'a.txt')]).toEqual(['B\n', false, 'two\n']);
  const second = await promptHere(['undo', '--json'], { cwd });
  expect([second.code, second.stderr]).toEqual([0, '']);
  expect(JSON.parse(second.stdout)).toEqual({
    version: 1,
    exitCode: 0,
    workspace: cwd,
    undone: [{ path: 'a.txt', what: 'changed' }],
    refused: [],
  });
  expect(textOf(cwd, 'a.txt')).toBe('one\n');
  const nothing = await promptHere(['undo'], { cwd });
  expect(nothing).toMatchObject({ code: 1, stdout: '' });
  expect(nothing.stderr).toContain('there is nothing to take back');
  const none = await promptHere(['undo', '--json'], { cwd });
  expect([none.code, JSON.parse(none.stdout)]).toMatchObject([1, { exitCode: 1, undone: [], refused: [] }]);
});

test('undo leaves what was changed since, names it, and takes back the rest', async () => {
  verifies('cli.undo');
  const cwd = project();
  const yes = [...BUNDLE, '--yes', 'write,idempotent'];
  const write = { name: 'write_file', arguments: { path: 'b.txt', content: 'BB\n' } };
  await working(cwd, [{ calls: [EDIT] }, { calls: [write] }, { text: 'Done.' }], yes);
  writeFileSync(join(cwd, 'a.txt'), 'mine\n');
  const { code, stderr, stdout } = await promptHere(['undo'], { cwd });
  expect({ code, stdout }).toEqual({ code: 1, stdout: 'restored: b.txt\n' });
  expect(stderr).toContain('"a.txt" was changed since');
  expect([textOf(cwd, 'a.txt'), textOf(cwd, 'b.txt')]).toEqual(['mine\n', 'B\n']);
});

test('the tool "undo" sees the changes of its own run alone, and a few runs are kept', async () => {
  verifies('cli.undo');
  const cwd = project();
  const yes = [...BUNDLE, '--yes', 'write,idempotent'];
  for (let run = 0; run < 7; run += 1) {
    const write = { name: 'write_file', arguments: { path: 'b.txt', content: `${run}\n` } };
    // oxlint-disable-next-line no-await-in-loop -- one run after the other
    await working(cwd, [{ calls: [write] }, { text: 'Done.' }], yes);
  }
  const undo = { name: 'undo', arguments: {} };
  const { requests } = await working(cwd, [{ calls: [undo] }, { text: 'Done.' }], yes);
  expect(requests[1]).not.toContain('Took back');
  const state = join(cwd, '.local/state/prompt-agent/undo');
  const [digest = ''] = readdirSync(state);
  expect(readdirSync(join(state, digest)).length).toBeLessThanOrEqual(5);
  expect(statSync(join(state, digest)).mode & 0o077).toBe(0);
});
