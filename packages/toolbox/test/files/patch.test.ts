import { callTool } from '@kernel/protocol';
import { createRegistry } from '@kernel/tools';
import { verifies } from '@kernel/testing';
import { beforeEach, describe, expect, test } from 'vitest';
import { applyPatchTool } from '../../src/files/index.ts';
import type { Workspace } from '../../src/workspace/index.ts';
import { snapshot, STORES, textOf } from '../workspace/three-workspaces.ts';

const signal = new AbortController().signal;
let workspace: Workspace;

async function patch(...lines: readonly string[]) {
  const registry = createRegistry([applyPatchTool(workspace)]);
  const text = ['*** Begin Patch', ...lines, '*** End Patch'].join('\n');
  const call = { type: 'tool-call', id: '1', name: 'apply_patch', arguments: JSON.stringify({ patch: text }) } as const;
  return callTool(registry, call, { signal });
}

const CODE = 'class A:\n    def f(self):\n        pass\n\nclass B:\n    def f(self):\n        pass\n    # end  \n';

describe.each(STORES)('in a workspace $name,', ({ create }) => {
  beforeEach(async () => {
    workspace = await create({ 'a.py': CODE, 'old.txt': 'bye\n', 'win.txt': 'a\r\nb\r\nc\r\n' });
  });

  test('a patch adds, updates, moves and deletes files at once', async () => {
    verifies('toolbox.files.patch');
    const result = await patch(
      '*** Add File: new/n.txt',
      '+first',
      '+',
      '+third',
      '*** Update File: a.py',
      '*** Move to: lib/a.py',
      '@@ class B:',
      '     def f(self):',
      '-        pass',
      '+        return 2',
      '*** Delete File: old.txt',
    );
    expect(result.forLLM).toBe('Done (change 0001):\nA "new/n.txt"\nM "a.py" to "lib/a.py"\nD "old.txt"');
    expect(await snapshot(workspace)).toEqual({
      'lib/': '',
      'lib/a.py': CODE.replace(/pass\n {4}# end/, 'return 2\n    # end'),
      'new/': '',
      'new/n.txt': 'first\n\nthird\n',
      'win.txt': 'a\r\nb\r\nc\r\n',
    });
    await workspace.undo();
    expect(await textOf(workspace, 'a.py')).toBe(CODE);
  });

  test('context is found exactly, else but for white space at the end, else but for white space around', async () => {
    verifies('toolbox.files.patch');
    await patch('*** Update File: a.py', '@@', '     # end', '+    # more');
    expect(await textOf(workspace, 'a.py')).toBe(`${CODE}    # more\n`);
    await patch('*** Update File: a.py', '@@', ' class A:', ' def f(self):', '-pass', '+        return 1');
    expect(await textOf(workspace, 'a.py')).toContain('class A:\n    def f(self):\n        return 1\n\nclass B');
  });

  test('several hunks and nested anchors find their places in order', async () => {
    const result = await patch(
      '*** Update File: a.py',
      '@@ class A:',
      '@@     def f(self):',
      '-        pass',
      '+        return 1',
      '@@ class B:',
      '@@     def f(self):',
      '-        pass',
      '+        return 2',
    );
    expect(result.isError).toBeUndefined();
    expect(await textOf(workspace, 'a.py')).toBe(CODE.replace('pass', 'return 1').replace('pass', 'return 2'));
  });

  test('lines are added at the end of a file, and line endings are kept', async () => {
    await patch('*** Update File: win.txt', '@@', ' b', '+b2', '@@', ' c', '+d', '*** End of File');
    expect(await textOf(workspace, 'win.txt')).toBe('a\r\nb\r\nb2\r\nc\r\nd\r\n');
  });

  test('nothing is changed when a part does not fit, and the error names it', async () => {
    verifies('toolbox.files.patch');
    const before = await snapshot(workspace);
    const wrong: readonly (readonly [readonly string[], string])[] = [
      [
        ['*** Delete File: old.txt', '*** Update File: a.py', '@@', '-pass', '+x', '@@', '-nowhere', '+y'],
        'Hunk 2 of "a.py" does not fit: these lines are not in the file after line 3:\n  nowhere',
      ],
      [['*** Update File: a.py', '@@ class C:', '-pass', '+x'], 'The hunk of "a.py": there is no line "class C:"'],
      [['*** Update File: none.py', '@@', '-a', '+b'], 'There is no "none.py" in the workspace.'],
      [['*** Delete File: old.txt', '*** Add File: a.py', '+x'], '"a.py" exists already'],
      [['*** Delete File: old.txt', '*** Delete File: none.txt'], 'There is no "none.txt"'],
      [['*** Update File: a.py', '*** Move to: old.txt', '@@', '-class A:', '+x'], '"old.txt" exists already'],
      [['*** Add File: ../x', '+x'], 'leaves the workspace'],
      [['*** Add File: .env', '+x'], 'may hold credentials'],
      [
        ['*** Update File: a.py', '@@', '*class'],
        'Line 4 of the patch must begin with " ", "-", "+" or "@@": "*class"',
      ],
      [['*** Update File: a.py'], 'should have a hunk'],
      [['*** Add File: n.txt', 'no plus'], 'Line 3 of the patch of a new file must begin with "+"'],
      [['*** Delete File: old.txt', '*** Delete File: old.txt'], 'names a file for the second time'],
      [['words'], 'must begin a file with'],
      [[], 'The patch names no file'],
    ];
    for (const [lines, message] of wrong) {
      const result = await patch(...lines);
      expect(result.forLLM).toContain(message);
      expect(result.isError).toBe(true);
      expect(await snapshot(workspace)).toEqual(before);
    }
    const registry = createRegistry([applyPatchTool(workspace)]);
    const text = await registry.execute('apply_patch', { patch: 'diff --git a b' });
    expect(text.forLLM).toContain('Line 1 of the patch must be "*** Begin Patch": "diff --git a b"');
  });
});
