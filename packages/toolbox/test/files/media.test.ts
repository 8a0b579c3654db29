import { createRegistry } from '@kernel/tools';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { globTool, readFileTool } from '../../src/files/index.ts';
import { memoryWorkspace } from '../../src/workspace/index.ts';

const PNG = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 1]);
const workspace = memoryWorkspace({
  'p.png': PNG,
  'doc.pdf': '%PDF-1.7\n%…',
  'huge.pdf': `%PDF-${' '.repeat(11_000_000)}`,
  'lines.txt': 'one\ntwo\nthree\nfour',
  'long.txt': `short\n${'x'.repeat(400_000)}\nlast\n`,
  'src/a.ts': '',
  'src/deep/b.ts': '',
  'src/deep/c.js': '',
  '.gitignore': 'ignored.ts',
  'ignored.ts': '',
});
const registry = createRegistry([readFileTool(workspace), globTool(workspace)]);

test('images and PDFs are given as media, up to a bound', async () => {
  verifies('toolbox.files.read');
  const image = await registry.execute('read_file', { path: 'p.png' });
  expect(image.media).toEqual([
    { type: 'image', mimeType: 'image/png', data: Buffer.from(PNG).toString('base64'), name: 'p.png' },
  ]);
  expect(image.forLLM).toBe('"p.png" (image/png, 10 bytes) is attached.');
  expect((await registry.execute('read_file', { path: 'doc.pdf' })).media?.[0]).toMatchObject({
    type: 'file',
    mimeType: 'application/pdf',
  });
  expect((await registry.execute('read_file', { path: 'huge.pdf' })).forLLM).toContain('at most 10485760 are read');
});

test('lines are given by offset and limit, numbered on request', async () => {
  verifies('toolbox.files.read');
  const read = async (input: object) => (await registry.execute('read_file', input)).forLLM;
  expect(await read({ path: 'lines.txt', offset: 2, limit: 2 })).toBe('two\nthree\n… (more; continue with offset 4)');
  expect(await read({ path: 'lines.txt', offset: 3, numbered: true })).toBe('3\tthree\n4\tfour');
  expect(await read({ path: 'lines.txt', offset: 9 })).toBe('(There is no line 9: the file has 4.)');
  expect(await read({ path: 'long.txt', offset: 1, limit: 3 })).toBe('short\n… (more; continue with offset 2)');
  expect((await read({ path: 'long.txt', offset: 2 })).slice(-70)).toMatch(
    /x\n… \(a part of line 2; continue with offset 2, column 262145\)$/,
  );
  expect(await read({ path: 'long.txt', offset: 3 })).toBe('last');
});

test('files are found by their path or name', async () => {
  const glob = async (input: object) => (await registry.execute('glob', input)).forLLM;
  expect(await glob({ pattern: '*.ts' })).toBe('src/a.ts\nsrc/deep/b.ts');
  expect(await glob({ pattern: 'deep/*', path: 'src' })).toBe('src/deep/b.ts\nsrc/deep/c.js');
  expect(await glob({ pattern: '**/*.{js,png}' })).toBe('p.png\nsrc/deep/c.js');
  expect(await glob({ pattern: 'none' })).toBe('No file matches "none", apart from what .gitignore leaves out.');
  expect(await glob({ pattern: '{a,b}'.repeat(12) })).toContain('more than 500 globs');
});
