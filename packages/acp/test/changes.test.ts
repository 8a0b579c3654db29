import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { verifies } from '@kernel/testing';
import { createWorkspace } from '@kernel/toolbox';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../test/setup/temporary-folder.ts';
import { findChanges } from '../src/changes/find-changes.ts';
import { copyWorkspace } from '../src/copy/copy-workspace.ts';
import { allowAll, deciding, fileOf, give, inputOf, project, scripted } from './support.ts';

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

test('files that have become a link, or whose folder has, are not taken for removed, and the link is named', async () => {
  verifies('acp.changes');
  const workspace = await project({ 'a.txt': 'one\n', 'b/c.txt': 'same\n', 'd.txt': 'one\n' });
  const { approve, asked } = allowAll();
  const steps = [
    { disk: { b: null, 'a.txt': null, 'd.txt': 'two\n' } },
    { link: 'b', to: '.' },
    { link: 'a.txt', to: 'd.txt' },
  ];
  const { text } = await give(scripted({ workspace }), steps, { approve });
  expect(inputOf(asked[0])['skipped']).toEqual(['Not brought back, because it is a link: "a.txt", "b".']);
  expect(text).toContain('it is a link: "a.txt", "b".');
  expect(['a.txt', 'b/c.txt', 'd.txt'].map((path) => fileOf(workspace, path))).toEqual(['one\n', 'same\n', 'two\n']);
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
  expect(said).toContain('do not allow writing \\"docs/c.txt\\"');
  expect(said).toContain('{"content":"c\\n"}');
  expect(inputOf(asked[0])['patch']).toContain('src/c.txt');
  expect(text).toContain('because the rules do not allow writing it: ".env", "docs/b.txt".');
  expect(fileOf(workspace, 'docs/b.txt')).toBe('b\n');
  expect(fileOf(workspace, '.env')).toBe('KEY=1\n');
});

test('the result names what was left out because a diff cannot show it: bytes, links, and names that could be taken for a line of a patch', async () => {
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
  expect(text).toContain('cannot be written in a diff: " padded", "odd\\n*** Delete File: a.txt".');
  expect(text).not.toContain('node_modules');
});

test.skipIf(process.platform === 'win32')(
  'modes, line breaks and a last line without one are brought back as they are',
  async () => {
    verifies('acp.changes');
    const workspace = await project({
      'a.txt': 'one\r\ntwo\r\n',
      'b.txt': 'no end',
      'run.sh': 'echo 1\n',
      'empty.sh': '',
    });
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
      { chmod: 'empty.sh', mode: 0o755 },
    ];
    const { approve, asked } = allowAll();
    await give(scripted({ workspace }), steps, { approve });
    // Rules and previews read it as the tool of that name does: it has a line in each part.
    expect(inputOf(asked[0])['patch']).toContain('*** Update File: empty.sh\n@@\n \n*** ');
    expect(fileOf(workspace, 'a.txt')).toBe('one\r\n2\r\n');
    expect(fileOf(workspace, 'b.txt')).toBe('no end yet');
    expect(fileOf(workspace, 'c.txt')).toBe('new, no end');
    expect(fileOf(workspace, 'empty.txt')).toBe('');
    expect(statSync(file('run.sh')).mode & 0o777).toBe(0o755);
    expect(statSync(file('empty.sh')).mode & 0o777).toBe(0o755);
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

test('one part that cannot be made takes no other with it: files in place of folders and links, and odd names', async () => {
  verifies('acp.changes');
  const outside = temporaryFolder('acp-outside', { 'o.txt': 'outside\n' });
  const workspace = await project({ 'd/x': 'x\n', 'l.txt': 'l\n', 'f.txt': 'f\n', 'into/in': 'i\n', 'b.txt': 'one\n' });
  const root = workspace.folder ?? '';
  symlinkSync('l.txt', join(root, 'link'));
  symlinkSync('l.txt', join(root, 'removed'));
  symlinkSync(join(outside, 'o.txt'), join(root, 'abs'));
  const steps = [
    { disk: { d: null, link: null, removed: null, 'f.txt': null } },
    {
      disk: {
        d: 'file\n',
        link: 'file\n',
        abs: 'evil\n',
        'f.txt/in': 'now a folder\n',
        'a:b': 'x\n',
        'b.txt': 'two\n',
      },
    },
  ];
  const { approve, asked } = allowAll();
  const { text } = await give(scripted({ workspace }), steps, { approve });
  expect(text).toContain('a folder or a link is in its place: "abs", "link".');
  expect(text).toContain('because it is a link: "removed".');
  expect(text).toContain('its name cannot be written in a diff: "a:b".');
  expect(inputOf(asked[0])['skipped']).toContainEqual(expect.stringContaining('because it is a link: "removed".'));
  expect(fileOf(workspace, 'b.txt')).toBe('two\n');
  expect(fileOf(workspace, 'd')).toBe('file\n');
  expect(fileOf(workspace, 'f.txt/in')).toBe('now a folder\n');
  expect(fileOf(workspace, 'l.txt')).toBe('l\n');
});

test('a folder that a file takes the place of, and a file that a folder does, are one change that can be undone', async () => {
  verifies('acp.changes');
  const workspace = await project({ 'd/x': 'x\n', 'd/deep/y': 'y\n', 'f.txt': 'f\n' });
  mkdirSync(join(workspace.folder ?? '', 'd/empty'));
  const steps = [{ disk: { d: null, 'f.txt': null } }, { disk: { d: 'file\n', 'f.txt/a/b': 'b\n' } }, { say: 'Done.' }];
  const { text } = await give(scripted({ workspace }), steps, allowAll());
  expect(text).toMatch(/Done \(change \S+\):\nA "d"\nD "d\/deep\/y"\nD "d\/x"\nD "f.txt"\nA "f.txt\/a\/b"$/);
  expect([fileOf(workspace, 'd'), fileOf(workspace, 'f.txt/a/b')]).toEqual(['file\n', 'b\n']);
  await workspace.undo();
  expect(['d/x', 'd/deep/y', 'f.txt'].map((path) => fileOf(workspace, path))).toEqual(['x\n', 'y\n', 'f\n']);
});

test('a folder in which something stays is not replaced by a file, and neither is one that has changed meanwhile', async () => {
  verifies('acp.changes', 'acp.conflicts');
  const files = { 'kept/x': 'x\n', 'kept/secret.key': 'k\n', 'new/x': 'x\n', 'b.txt': 'one\n' };
  const root = temporaryFolder('acp-folders', files);
  const workspace = await createWorkspace({ root, write: ['**'], deny: ['*.key'] });
  const steps = [{ disk: { kept: null, new: null } }, { disk: { kept: 'file\n', new: 'file\n', 'b.txt': 'two\n' } }];
  const { approve, asked } = deciding(() => {
    writeFileSync(join(root, 'new/mine'), 'mine\n');
    return { decision: 'allow' };
  });
  const { text } = await give(scripted({ workspace }), steps, { approve });
  expect(inputOf(asked[0])['skipped']).toEqual([
    expect.stringContaining('a folder or a link is in its place: "kept".'),
    expect.stringContaining('not all of that can be brought back: "kept/x".'),
  ]);
  expect(text).toContain('"new" has changed in the workspace meanwhile, and was left as it is.');
  expect(text).toContain('"new/x" was left as it is, as "new" was.');
  expect(['kept/secret.key', 'kept/x', 'new/x', 'new/mine', 'b.txt'].map((path) => fileOf(workspace, path))).toEqual([
    'k\n',
    'x\n',
    'x\n',
    'mine\n',
    'two\n',
  ]);
});

test("half of a file and a folder that take each other's place is not brought back, and is named", async () => {
  verifies('acp.changes');
  const files = { bytes: 'file\n', closed: 'file\n', packages: 'file\n', whole: 'file\n', 'b.txt': 'one\n' };
  const root = temporaryFolder('acp-halves', files);
  const workspace = await createWorkspace({ root, write: ['**'], deny: ['*.key'] });
  const removed = { bytes: null, closed: null, packages: null, whole: null };
  const disk = {
    'bytes/x': 'a\0b',
    'bytes/y': 'text\n',
    'closed/secret.key': 'k\n',
    'packages/node_modules/x': 'x\n',
    'whole/x': 'x\n',
    'whole/node_modules/x': 'x\n',
    'b.txt': 'two\n',
  };
  const { asked, approve } = deciding(() => ({ decision: 'allow' }));
  await give(scripted({ workspace }), [{ disk: removed }, { disk }], { approve });
  expect(inputOf(asked[0])['skipped']).toContainEqual(
    expect.stringContaining('not all of that can be brought back: "bytes", "bytes/y", "closed", "packages".'),
  );
  expect(['bytes', 'closed', 'packages', 'whole/x', 'b.txt'].map((path) => fileOf(workspace, path))).toEqual([
    'file\n',
    'file\n',
    'file\n',
    'x\n',
    'two\n',
  ]);
});

test('a change that the workspace refuses when it is made takes no other with it', async () => {
  verifies('acp.conflicts');
  const real = await project({ 'a.txt': 'one\n', 'b.txt': 'one\n', 'c.txt': 'one\n' });
  const apply: typeof real.apply = (edits, options) =>
    edits.some((edit) => 'path' in edit && edit.path === 'b.txt')
      ? Promise.reject(new Error('The disk is full.'))
      : real.apply(edits, options);
  const workspace = new Proxy(real, { get: (target, key) => (key === 'apply' ? apply : Reflect.get(target, key)) });
  const steps = [{ disk: { 'a.txt': 'two\n', 'b.txt': 'two\n', 'c.txt': 'two\n' } }, { say: 'Done.' }];
  const { text } = await give(scripted({ workspace }), steps, allowAll());
  expect(text).toContain('"b.txt" was left as it is: The disk is full.');
  expect(['a.txt', 'b.txt', 'c.txt'].map((path) => fileOf(real, path))).toEqual(['two\n', 'one\n', 'two\n']);
});

test('a diff that is too long to be shown is named and left, and the other changes are brought back', async () => {
  verifies('acp.changes');
  const workspace = await project({ 'src.txt': 'one\n' });
  const bundle = `${'x'.repeat(80)}\n`.repeat(60_000);
  const { text } = await give(
    scripted({ workspace }),
    [{ disk: { 'bundle.js': bundle, 'src.txt': 'fixed\n' } }],
    allowAll(),
  );
  expect(text).toContain('cannot be shown: "bundle.js".');
  expect(fileOf(workspace, 'src.txt')).toBe('fixed\n');
});

test('a diff is measured as it stands in the call: a file whose characters are escaped there takes no other with it', async () => {
  verifies('acp.changes');
  const workspace = await project({ 'src.txt': 'one\n' });
  const steps = [{ disk: { 'odd.txt': '\u0001'.repeat(1_000_000), 'src.txt': 'fixed\n' } }];
  const { approve, asked } = allowAll();
  const { text } = await give(scripted({ workspace }), steps, { approve });
  expect(asked[0]?.arguments.length).toBeLessThan(4_000_000);
  expect(text).toContain('cannot be shown: "odd.txt".');
  expect(fileOf(workspace, 'src.txt')).toBe('fixed\n');
});

test('an abort while the change of one long file is worked out ends it', async () => {
  verifies('acp.ends');
  const controller = new AbortController();
  const { signal } = controller;
  const workspace = await project({ 'a.txt': 'one\n'.repeat(1000) });
  const copy = await copyWorkspace(workspace, { files: 9, bytes: 1e9 }, signal);
  writeFileSync(join(copy.folder, 'a.txt'), 'two\n'.repeat(1000));
  // It is asked last before the lines are compared.
  const holdsSecret = (): boolean => {
    setImmediate(() => controller.abort(new Error('stopped')));
    return false;
  };
  await expect(findChanges({ workspace, copy, signal, holdsSecret })).rejects.toThrow('stopped');
  await copy.close();
});

test('a file of too many lines for a diff is named and left, and the other changes are brought back', async () => {
  verifies('acp.changes');
  const workspace = await project({ 'lines.txt': '\n'.repeat(300_000), 'src.txt': 'one\n' });
  const steps = [{ disk: { 'lines.txt': `${'\n'.repeat(300_000)}x\n`, 'src.txt': 'two\n' } }];
  const { text } = await give(scripted({ workspace }), steps, allowAll());
  expect(text).toContain('it has more than 200000 lines: "lines.txt".');
  expect(fileOf(workspace, 'src.txt')).toBe('two\n');
});

test('what an editor shows and has not saved is what the agent gets, and what its changes are for', async () => {
  verifies('acp.copy');
  const root = temporaryFolder('acp-editor', { 'a.txt': '1\n2\n3\n', 'b.txt': 'x\n', 'c.txt': 'same size\n' });
  const buffers = new Map([
    [join(root, 'a.txt'), '1 unsaved\n2\n3\n'],
    [join(root, 'c.txt'), 'SAME SIZE\n'],
  ]);
  const editor = {
    readText: (path: string) => Promise.resolve(buffers.get(path)),
    writeText: (path: string, text: string) => {
      writeFileSync(path, text);
      buffers.set(path, text);
      return Promise.resolve();
    },
  };
  const workspace = await createWorkspace({ root, write: ['**'], editor });
  const steps = [
    { request: 'fs/read_text_file', params: { path: '@c.txt' } },
    { disk: { 'a.txt': '1 unsaved\n2\nthree\n' } },
  ];
  const { approve, asked } = allowAll();
  const { text } = await give(scripted({ workspace }), steps, { approve });
  expect(text).toContain('SAME SIZE');
  expect(inputOf(asked[0])['patch']).toContain(' 1 unsaved\n 2\n-3\n+three');
  expect(buffers.get(join(root, 'a.txt'))).toBe('1 unsaved\n2\nthree\n');
});

test('an editor is asked once for each file that is saved, and for few at once', async () => {
  verifies('acp.copy');
  const files = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`${at % 5}/${at}.txt`, `${at}\n`]));
  const asked: string[] = [];
  let open = 0;
  let most = 0;
  const editor = {
    readText: async (path: string) => {
      asked.push(path);
      open += 1;
      most = Math.max(most, open);
      await new Promise((resolve) => void setImmediate(resolve));
      open -= 1;
      return readFileSync(path, 'utf8');
    },
  };
  const workspace = await createWorkspace({ root: temporaryFolder('acp-editor', files), write: ['**'], editor });
  await give(scripted({ workspace }), [{ say: 'Done.' }], allowAll());
  expect(asked).toHaveLength(200);
  expect(most).toBeLessThanOrEqual(16);
});

test('a file that cannot be read, and a name that the workspace cannot have, are named and not in the copy', async () => {
  verifies('acp.copy');
  const real = await project({ 'a.txt': 'one\n', 'locked.txt': 'x\n', 'a:b': 'x\n', 'gone.txt': 'x\n' });
  const stat: typeof real.stat = (path, options) => {
    if (path === 'gone.txt') rmSync(join(real.folder ?? '', path), { force: true });
    return path === 'locked.txt' ? Promise.reject(new Error('EACCES')) : real.stat(path, options);
  };
  const workspace = new Proxy(real, { get: (target, key) => (key === 'stat' ? stat : Reflect.get(target, key)) });
  const { text } = await give(scripted({ workspace }), [{ disk: { 'a.txt': 'two\n' } }], allowAll());
  expect(text).toContain('Not in the copy, because it cannot be read: "locked.txt".');
  expect(text).toContain('Not in the copy, because the workspace does not support its name: "a:b".');
  expect(text).not.toContain('gone.txt');
  expect(fileOf(real, 'a.txt')).toBe('two\n');
});
