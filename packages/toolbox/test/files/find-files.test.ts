import { expect, test } from 'vitest';
import { verifies } from '@kernel/testing';
import { findFiles } from '../../src/files/index.ts';
import { memoryWorkspace } from '../../src/workspace/index.ts';

async function all(paths: AsyncIterable<string>): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const path of paths) found.push(path);
  return found;
}

const workspace = memoryWorkspace({
  'a.ts': '',
  'b.md': '',
  '.env': 'KEY=1',
  '.gitignore': 'dist\n',
  'dist/a.ts': '',
  'node_modules/x/a.ts': '',
  'src/c.ts': '',
  'src/deep/d.ts': '',
});

test.each([
  [{}, ['.gitignore', 'a.ts', 'b.md', 'src/c.ts', 'src/deep/d.ts']],
  [{ pattern: '*.ts' }, ['a.ts', 'src/c.ts', 'src/deep/d.ts']],
  [{ pattern: 'src/*.ts' }, ['src/c.ts']],
  [{ path: 'src', pattern: 'deep/**' }, ['src/deep/d.ts']],
  [{ pattern: '**/.env' }, []],
])('findFiles with %j yields what may be read and is not ignored', async (options, expected) => {
  verifies('toolbox.files.find');
  expect(await all(findFiles(workspace, options))).toEqual(expected);
});

test('findFiles refuses a glob that cannot be used and a folder outside', async () => {
  verifies('toolbox.files.find');
  await expect(all(findFiles(workspace, { pattern: '{a,b}'.repeat(20) }))).rejects.toMatchObject({
    code: 'TOOL_FAILED',
  });
  await expect(all(findFiles(workspace, { path: '../x' }))).rejects.toMatchObject({ code: 'TOOL_FAILED' });
});
