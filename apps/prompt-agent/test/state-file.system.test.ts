import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { loadUserRules } from '../src/approval/user-rules.ts';
import { loadProjectApprovals } from '../src/config/project-file.ts';
import { changeState, readState } from '../src/config/state-file.ts';
import { promptHere, workspace } from './program.ts';

const KEEPS_RULES = fileURLToPath(new URL('fixtures/keeps-rules.ts', import.meta.url));

test('rules that several processes keep at the same time are all there', async () => {
  verifies('cli.approval.two');
  const home = workspace({});
  const run = promisify(execFile);
  const [processes, rules] = [4, 15];
  await Promise.all(
    Array.from({ length: processes }, (_, index) =>
      run(process.execPath, ['--conditions=@kernel/source', KEEPS_RULES, home, `p${index}`, String(rules)]),
    ),
  );
  const file = JSON.parse(readFileSync(join(home, '.config/prompt-agent/permissions.json'), 'utf8')) as {
    rules: readonly { allow: string }[];
  };
  const expected = Array.from({ length: processes }, (_, index) =>
    Array.from({ length: rules }, (__, rule) => `run_command(p${index} ${rule})`),
  ).flat();
  expect(file.rules.map(({ allow }) => allow).toSorted()).toEqual(expected.toSorted());
});

test.each([
  ['300 NUL bytes', '\0'.repeat(300)],
  ['half of it', '{"a": {"n'],
  ['nothing', ''],
  ['a list', '[]'],
])(
  'a file that the program keeps and that holds %s is told of, and set aside when something is kept again',
  async (_, content) => {
    verifies('cli.state.damaged');
    const folder = workspace({ 'state.json': content });
    const path = join(folder, 'state.json');
    const { damage, entries } = await readState(path, async () => z.number());
    expect([entries.size, damage]).toEqual([0, expect.stringContaining(`${path} is not `)]);
    await changeState(path, (json) => ({ ...json, a: 1 }));
    expect((await readState(path, async () => z.number())).entries).toEqual(new Map([['a', 1]]));
    const copy = readdirSync(folder).find((name) => name.startsWith('state.json.damaged-')) ?? '';
    expect(readFileSync(join(folder, copy), 'utf8')).toBe(content);
  },
);

test('a byte order mark is no damage, and an entry of a newer release stays when another one is kept', async () => {
  verifies('cli.state.damaged');
  const path = join(workspace({ 'state.json': '\uFEFF{"a":1,"b":{"newer":true}}' }), 'state.json');
  expect(await readState(path, async () => z.number())).toEqual({ entries: new Map([['a', 1]]) });
  await changeState(path, (json) => ({ ...json, c: 3 }));
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ a: 1, b: { newer: true }, c: 3 });
});

test('what was decided and what was approved is said to be unknown where its file is damaged', async () => {
  verifies('cli.state.damaged');
  const home = workspace({
    '.local/state/prompt-agent/project-configs.json': '\0\0',
    '.config/prompt-agent/keys.json': '\0',
  });
  const said: string[] = [];
  await loadProjectApprovals({ env: {}, home }, { alert: (line) => void said.push(line) });
  expect(said).toEqual([expect.stringContaining('project-configs.json is not valid JSON')]);
  const { code, stderr } = await promptHere(['keys', 'list'], { cwd: home });
  expect([code, stderr]).toEqual([0, expect.stringContaining('keys.json is not valid JSON')]);
});

test('rules that are damaged are refused with what to do, and never replaced by fewer', async () => {
  verifies('cli.state.damaged');
  const home = workspace({ '.config/prompt-agent/permissions.json': '{"rules":[{"deny":"run_command(rm *)"}]}' });
  const path = join(home, '.config/prompt-agent/permissions.json');
  const rules = await loadUserRules({ env: {}, home }, home);
  writeFileSync(path, '\0'.repeat(300));
  await expect(rules.add({ allow: 'glob' })).rejects.toThrow('one of its rules may deny something');
  await expect(loadUserRules({ env: {}, home }, home)).rejects.toThrow('Correct it or move it away');
  expect(readFileSync(path, 'utf8')).toBe('\0'.repeat(300));
});
