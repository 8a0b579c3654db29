import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startWireServer, verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { promptHere, workspace } from './program.ts';

const FILES = {
  'src/app/[locale]/layout.tsx': 'one LOCALE\n',
  'src/app/l/layout.tsx': 'one PLAIN\n',
  'src/app/(auth)/page.tsx': 'one AUTH\n',
  'src/app/{a,b}/page.tsx': 'one BRACES\n',
  'src/app/a/page.tsx': 'one OTHER\n',
};

/** Runs the program with what a model replies; returns its exit code and what the model was sent. */
async function working(cwd: string, args: readonly string[], path = '') {
  const edit = { name: 'edit_file', arguments: { path, edits: [{ old_text: 'one', new_text: 'two' }] } };
  const server = await startWireServer({ replies: [...(path === '' ? [] : [{ calls: [edit] }]), { text: 'Done.' }] });
  try {
    const { code } = await promptHere(['--base-url', server.baseUrl, '--model', 'm', ...args, 'do it'], { cwd });
    return { code, sent: JSON.stringify(server.requests.map(({ body }) => body)) };
  } finally {
    await server.close();
  }
}

test.each(['src/app/[locale]', 'src/app/(auth)', 'src/app/{a,b}'])(
  '--deny and --allow mean the folder %s',
  async (folder) => {
    verifies('toolbox.permissions.literal', 'cli.rules');
    const file = Object.keys(FILES).find((path) => path.startsWith(`${folder}/`)) ?? '';
    const textOf = (cwd: string, path: string) => readFileSync(join(cwd, path), 'utf8');
    const bundle = ['--bundle', 'code_agent'];
    const denied = workspace(FILES);
    await working(denied, [...bundle, '--yes', 'write', '--deny', `edit_file(${folder}/**)`], file);
    expect(textOf(denied, file)).toMatch(/^one/);
    const allowed = workspace(FILES);
    const flags = [...bundle, '--allow', `edit_file(${folder}/**)`];
    expect((await working(allowed, flags, file)).code).toBe(0);
    expect(textOf(allowed, file)).toMatch(/^two/);
    for (const other of ['src/app/l/layout.tsx', 'src/app/a/page.tsx'])
      // oxlint-disable-next-line no-await-in-loop -- one run after another
      expect((await working(allowed, flags, other)).code).toBe(4);
  },
);

test.each([
  ['src/app/[locale]/**', 'LOCALE', 'PLAIN'],
  ['src/app/(auth)/*.tsx', 'AUTH', 'OTHER'],
  ['src/app/{a,b}/*', 'BRACES', 'OTHER'],
])('-f %s sends the files of the folder of that name alone', async (source, has, hasNot) => {
  verifies('toolbox.files.literal', 'cli.ask.fragments');
  const { code, sent } = await working(workspace(FILES), ['-f', source]);
  expect(code).toBe(0);
  expect(sent).toContain(has);
  expect(sent).not.toContain(hasNot);
});

test('the own folders of the program are closed to tools whatever characters their names have', async () => {
  verifies('cli.approval.kept');
  for (const name of ['[cfg]', '{a,b}', '!cfg', 'c*g', 'a\\b']) {
    const rules = `${name}/prompt-agent/permissions.json`;
    const cwd = workspace({ [rules]: '{"rules":[]}' });
    const env = { XDG_CONFIG_HOME: join(cwd, name) };
    const flags = ['--bundle', 'code_agent', '--yes', 'write'];
    const edit = { name: 'write_file', arguments: { path: rules, content: '{"rules":[{"allow":"*"}]}' } };
    // oxlint-disable no-await-in-loop -- one run after another
    const server = await startWireServer({ replies: [{ calls: [edit] }, { text: 'Done.' }] });
    await promptHere(['--base-url', server.baseUrl, '--model', 'm', ...flags, 'do it'], { cwd, env });
    await server.close();
    // oxlint-enable no-await-in-loop
    expect(readFileSync(join(cwd, rules), 'utf8')).toBe('{"rules":[]}');
  }
});
