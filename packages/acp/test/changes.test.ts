import { chmodSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { verifies } from '@kernel/testing';
import { createWorkspace } from '@kernel/toolbox';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../test/setup/temporary-folder.ts';
import { allowAll, copies, deciding, fileOf, give, inputOf, project, scripted } from './support.ts';

test('what an agent changed is one call with the whole diff, and one change that can be undone', async () => {
  verifies('acp.changes');
  const workspace = await project({ 'a.txt': 'one\ntwo\nthree\n', 'old.txt': 'gone\n', 'b/c.txt': 'same\n' });
  const { approve, asked } = allowAll();
  const steps = [
    { say: 'Looking. ' },
    { disk: { 'a.txt': 'one\n2\nthree\n', 'new/d.txt': 'fresh\n', 'old.txt': null } },
    { say: 'Done.' },
  ];
  const { text, end } = await give(scripted({ workspace }), steps, { approve });
  expect(end.reason).toBe('done');
  expect(asked.map(({ name }) => name)).toEqual(['apply_patch']);
  expect(inputOf(asked[0])['patch']).toBe(
    [
      '*** Begin Patch',
      '*** Update File: a.txt',
      '@@',
      ' one',
      '-two',
      '+2',
      ' three',
      '*** End of File',
      '*** Add File: new/d.txt',
      '+fresh',
      '*** Delete File: old.txt',
      '*** End Patch',
    ].join('\n'),
  );
  expect(text).toMatch(/^Looking\. Done\.\n\nDone \(change [^)]+\):\nM "a\.txt"\nA "new\/d\.txt"\nD "old\.txt"$/);
  expect(fileOf(workspace, 'a.txt')).toBe('one\n2\nthree\n');
  expect(fileOf(workspace, 'new/d.txt')).toBe('fresh\n');
  expect(workspace.undoable()).toHaveLength(1);
  await workspace.undo();
  expect(fileOf(workspace, 'a.txt')).toBe('one\ntwo\nthree\n');
  expect(fileOf(workspace, 'old.txt')).toBe('gone\n');
  expect(copies()).toEqual([]);
});

test('an agent that changed nothing asks for nothing', async () => {
  verifies('acp.changes');
  const workspace = await project({ 'a.txt': 'one\n' });
  const { approve, asked } = allowAll();
  const { text } = await give(scripted({ workspace }), [{ disk: { 'a.txt': 'one\n' } }, { say: 'Nothing to do.' }], {
    approve,
  });
  expect(asked).toEqual([]);
  expect(text).toBe('Nothing to do.');
});

test('what an agent said before a call of its own is not said twice', async () => {
  verifies('acp.changes');
  const workspace = await project({ 'a.txt': 'one\n' });
  const call = { sessionUpdate: 'tool_call', toolCallId: 't', title: 'Look', kind: 'read', status: 'completed' };
  const { text } = await give(
    scripted({ workspace }),
    [{ say: 'Looking. ' }, { update: call }, { say: 'All is well.' }],
    allowAll(),
  );
  expect(text).toBe('Looking. All is well.');
});

test('files that cannot be looked at are named, and not taken for removed', async () => {
  verifies('acp.changes');
  const workspace = await project({ 'a.txt': 'one\n', 'b/c.txt': 'same\n' });
  const { approve, asked } = allowAll();
  const { text } = await give(scripted({ workspace }), [{ disk: { b: null } }, { link: 'b', to: 'b' }], { approve });
  expect(asked).toEqual([]);
  expect(text).toContain('it cannot be read: "b/c.txt"');
  expect(fileOf(workspace, 'b/c.txt')).toBe('same\n');
});

test('changes that are denied are not made, and the model reads the reason and what they were', async () => {
  verifies('acp.changes');
  const workspace = await project({ 'a.txt': 'one\n' });
  const { approve } = deciding(() => ({ decision: 'deny', reason: 'Not today.' }));
  const { text } = await give(scripted({ workspace }), [{ disk: { 'a.txt': 'two\n' } }, { say: 'Done.' }], { approve });
  expect(text).toContain('Not today.');
  expect(text).toContain('It had changed "a.txt"');
  expect(fileOf(workspace, 'a.txt')).toBe('one\n');
});

test('a file that changed in the workspace while the agent worked is named and stays as it is', async () => {
  verifies('acp.conflicts');
  const workspace = await project({ 'a.txt': 'one\n', 'b.txt': 'one\n', 'c.txt': 'one\n' });
  const { approve, asked } = deciding((call) => {
    if (call.name === 'agent_permission') {
      writeFileSync(join(workspace.folder ?? '', 'a.txt'), 'mine\n');
      writeFileSync(join(workspace.folder ?? '', 'new.txt'), 'mine\n');
    } else writeFileSync(join(workspace.folder ?? '', 'b.txt'), 'mine too\n');
    return { decision: 'allow' };
  });
  const steps = [
    { disk: { 'a.txt': 'two\n', 'b.txt': 'two\n', 'c.txt': 'two\n', 'new.txt': 'theirs\n' } },
    {
      request: 'session/request_permission',
      params: {
        toolCall: { toolCallId: 'x', kind: 'other', title: 'wait' },
        options: [{ optionId: 'y', name: 'Yes', kind: 'allow_once' }],
      },
    },
    { say: 'Done.' },
  ];
  const { text } = await give(scripted({ workspace }), steps, { approve });
  expect(inputOf(asked[1])['patch']).not.toContain('a.txt');
  expect(text).toContain('changed in the workspace meanwhile: "a.txt", "new.txt".');
  expect(text).toContain('"b.txt" has changed in the workspace meanwhile, and was left as it is.');
  expect(['a.txt', 'b.txt', 'c.txt', 'new.txt'].map((path) => fileOf(workspace, path))).toEqual([
    'mine\n',
    'mine too\n',
    'two\n',
    'mine\n',
  ]);
});

test('what the rules do not let be read is not in the copy, and what they do not let be written is named', async () => {
  verifies('acp.rules');
  const root = temporaryFolder('acp-rules', {
    'src/a.txt': 'a\n',
    'docs/b.txt': 'b\n',
    '.env': 'KEY=1\n',
    'deep/x': '1',
  });
  const workspace = await createWorkspace({ root, write: ['src'], deny: ['deep'] });
  const { approve, asked } = allowAll();
  const steps = [
    { disk: { 'src/a.txt': 'A\n', 'docs/b.txt': 'B\n', '.env': 'KEY=2\n' } },
    { request: 'fs/read_text_file', params: { path: '@deep/x' } },
    { request: 'fs/write_text_file', params: { path: '@docs/c.txt', content: 'c' } },
    { request: 'fs/write_text_file', params: { path: '@src/c.txt', content: 'c\n' } },
    { request: 'fs/read_text_file', params: { path: '@src/c.txt' } },
  ];
  const { text, inner } = await give(scripted({ workspace }), steps, { approve });
  const said = inner.flatMap((event) => (event.type === 'text-delta' ? [event.text] : [])).join('');
  expect(said).toContain('no such file');
  expect(said).toContain('do not let \\"docs/c.txt\\" be written');
  expect(said).toContain('{"content":"c\\n"}');
  expect(inputOf(asked[0])['patch']).toContain('src/c.txt');
  expect(text).toContain('because the rules do not let it be written: ".env", "docs/b.txt".');
  expect(fileOf(workspace, 'docs/b.txt')).toBe('b\n');
  expect(fileOf(workspace, '.env')).toBe('KEY=1\n');
});

test('what no diff can show is named and left: bytes, links, and names that could be taken for a line of a patch', async () => {
  verifies('acp.changes');
  const workspace = await project({ 'a.txt': 'one\n', 'b.bin': new Uint8Array([0, 1, 2]) });
  const { approve, asked } = allowAll();
  const steps = [
    {
      disk: {
        'x.bin': '\u0000',
        'b.bin': 'text\n',
        'odd\n*** Delete File: a.txt': 'x\n',
        ' padded': 'x\n',
        'node_modules/m/index.js': '1\n',
        '.git/config': 'x\n',
      },
    },
    { link: 'link', to: '/etc/passwd' },
  ];
  const { text } = await give(scripted({ workspace }), steps, { approve });
  expect(asked).toEqual([]);
  expect(text).toContain('not text that a diff can show: "b.bin", "x.bin".');
  expect(text).toContain('it is a link: "link".');
  expect(text).toContain('cannot stand in a diff: " padded", "odd\\n*** Delete File: a.txt".');
  expect(text).not.toContain('node_modules');
});

test.skipIf(process.platform === 'win32')(
  'modes, line breaks and a last line without one are brought back as they are',
  async () => {
    verifies('acp.changes');
    const workspace = await project({ 'a.txt': 'one\r\ntwo\r\n', 'b.txt': 'no end', 'run.sh': 'echo 1\n' });
    const file = (path: string): string => join(workspace.folder ?? '', path);
    chmodSync(file('run.sh'), 0o755);
    const steps = [
      {
        disk: {
          'a.txt': 'one\r\n2\r\n',
          'b.txt': 'no end yet',
          'run.sh': 'echo 2\n',
          'c.txt': 'new, no end',
          'empty.txt': '',
        },
      },
    ];
    await give(scripted({ workspace }), steps, allowAll());
    expect(fileOf(workspace, 'a.txt')).toBe('one\r\n2\r\n');
    expect(fileOf(workspace, 'b.txt')).toBe('no end yet');
    expect(fileOf(workspace, 'c.txt')).toBe('new, no end');
    expect(fileOf(workspace, 'empty.txt')).toBe('');
    expect(statSync(file('run.sh')).mode & 0o777).toBe(0o755);
  },
);

test('links stay links where they stay inside, and are left out where they lead out', async () => {
  verifies('acp.copy');
  const workspace = await project({ 'a.txt': 'inside\n', 'd/b.txt': 'b\n' });
  const root = workspace.folder ?? '';
  const secret = temporaryFolder('acp-outside', { 'secret.txt': 'secret\n' });
  symlinkSync('../a.txt', join(root, 'd/in'));
  symlinkSync(join(secret, 'secret.txt'), join(root, 'absolute'));
  symlinkSync('../../etc/passwd', join(root, 'd/out'));
  symlinkSync('..', join(root, 'd/up'));
  symlinkSync('d/up/..', join(root, 'sly'));
  const read = (path: string) => ({ request: 'fs/read_text_file', params: { path } });
  const steps = ['@d/in', '@absolute', '@d/out', '@sly', '/etc/passwd', '@../x'].map(read);
  const { text } = await give(scripted({ workspace }), steps, allowAll());
  expect(text).toContain('inside');
  expect(text).not.toContain('secret\\n');
  expect(text.match(/"error"/g)).toHaveLength(5);
});

test('a workspace that is too large for a copy is refused, with what to do about it', async () => {
  verifies('acp.copy');
  const workspace = await project({ 'a.txt': '12345', 'b.txt': '12345' });
  const { text } = await give(scripted({ workspace, limits: { files: 1 } }), [], allowAll());
  expect(text).toContain('LIMIT_REACHED: The workspace has more than 1 files');
  expect(text).toContain('limits.files');
  const large = await give(scripted({ workspace, limits: { bytes: 9 } }), [], allowAll());
  expect(large.text).toContain('more than 9 bytes');
  expect(copies()).toEqual([]);
});
