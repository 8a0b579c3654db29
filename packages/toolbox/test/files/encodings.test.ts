import { callTool } from '@kernel/protocol';
import { createRegistry } from '@kernel/tools';
import { verifies } from '@kernel/testing';
import { describe, expect, test } from 'vitest';
import { fileTools } from '../../src/files/index.ts';
import type { Workspace } from '../../src/workspace/index.ts';
import { STORES } from '../workspace/three-workspaces.ts';

const signal = new AbortController().signal;

async function call(workspace: Workspace, name: string, input: object): Promise<string> {
  const registry = createRegistry(fileTools(workspace, { ripgrep: false }));
  const toolCall = { type: 'tool-call', id: '1', name, arguments: JSON.stringify(input) } as const;
  return (await callTool(registry, toolCall, { signal })).forLLM;
}

const bytesOf = async (workspace: Workspace, path: string): Promise<Buffer> =>
  Buffer.from((await workspace.read(path)).bytes);

const WINDOWS = Buffer.from('caf\xe9 \x80 5 \x96 na\xefve\r\nsecond\r\n', 'latin1');
const UTF_16_LE = Buffer.from('\uFEFFnaïve “quoted” 😀\nsecond\n', 'utf16le');
const UTF_16_BE = Buffer.from(UTF_16_LE).swap16();
const BROKEN = Buffer.concat([Buffer.from('größe über\nsecond '), Buffer.of(0xff, 0xe9), Buffer.from(' end\n')]);
const HAN = Buffer.from('c4e3bac3cac0bde70a68656c6c6f0a', 'hex'); // GBK

const FILES = { 'windows.c': WINDOWS, 'le.txt': UTF_16_LE, 'be.txt': UTF_16_BE, 'broken.txt': BROKEN, 'gbk.txt': HAN };

describe.each(STORES)('in a workspace $name,', ({ create }) => {
  describe('a file that is not UTF-8', () => {
    test('is read as what it is, and the answer says so', async () => {
      verifies('toolbox.files.encoding');
      const workspace = await create(FILES);
      expect(await call(workspace, 'read_file', { path: 'windows.c' })).toBe(
        'café € 5 – naïve\r\nsecond\r\n\n… (Windows-1252, or another encoding that is not UTF-8; edit_file and write_file keep that)',
      );
      for (const path of ['le.txt', 'be.txt'])
        expect(await call(workspace, 'read_file', { path })).toMatch(
          /^naïve “quoted” 😀\nsecond\n\n… \(UTF-16[BL]E; edit_file and write_file keep that\)$/,
        );
      expect(await call(workspace, 'read_file', { path: 'le.txt', offset: 2, numbered: true })).toBe(
        '2\tsecond\n… (UTF-16LE; edit_file and write_file keep that)',
      );
      expect(await call(workspace, 'read_file', { path: 'broken.txt' })).toBe(
        'größe über\nsecond \uFFFD\uFFFD end\n\n… (2 bytes that are not valid characters are shown as U+FFFD; edit_file keeps what it does not replace, write_file would not)',
      );
      expect(await call(await create({ 'a.txt': 'a \uFFFD' }), 'read_file', { path: 'a.txt' })).toBe('a \uFFFD');
    });

    test.each([
      ['windows.c', 'latin1', (text: string) => text],
      ['le.txt', 'utf16le', (text: string) => text],
      ['broken.txt', 'latin1', (text: string) => text],
      ['gbk.txt', 'latin1', (text: string) => text.replace('second', 'hello')],
    ] as const)('is edited byte by byte as it was: %s', async (path, raw, change) => {
      verifies('toolbox.files.encoding');
      const workspace = await create(FILES);
      const edits = [{ old_text: change('second'), new_text: '2nd' }];
      expect(await call(workspace, 'edit_file', { path, edits })).toContain('1 replacement');
      const before = FILES[path].toString(raw);
      expect((await bytesOf(workspace, path)).toString(raw)).toBe(before.replace(change('second'), '2nd'));
    });

    test.each([
      ['windows.c', 'latin1', '\r\n'],
      ['le.txt', 'utf16le', '\n'],
    ] as const)('is patched as it was: %s', async (path, raw, ending) => {
      verifies('toolbox.files.encoding');
      const workspace = await create(FILES);
      const patch = `*** Begin Patch\n*** Update File: ${path}\n@@\n-second\n+2nd\n*** End Patch`;
      expect(await call(workspace, 'apply_patch', { patch })).toContain('Done');
      const before = FILES[path].toString(raw);
      expect((await bytesOf(workspace, path)).toString(raw)).toBe(before.replace(`second${ending}`, `2nd${ending}`));
    });

    test('is edited with characters of its own, and refused those that it does not have', async () => {
      verifies('toolbox.files.encoding');
      const workspace = await create(FILES);
      await call(workspace, 'edit_file', { path: 'windows.c', edits: [{ old_text: 'café €', new_text: '“thé” – €' }] });
      expect((await bytesOf(workspace, 'windows.c')).toString('latin1')).toMatch(/^\x93th\xe9\x94 \x96 \x80 5/);
      expect(
        await call(workspace, 'edit_file', { path: 'windows.c', edits: [{ old_text: 'second', new_text: '😀' }] }),
      ).toContain('is stored as Windows-1252, which does not have U+1F600 "😀". Nothing was changed.');
      expect(await call(workspace, 'write_file', { path: 'windows.c', content: 'né 😀' })).toContain(
        'does not have U+1F600',
      );
    });

    test('is the same after its text was read and written', async () => {
      verifies('toolbox.files.encoding');
      const workspace = await create({ ...FILES, 'bom.txt': '\uFEFFone\n' });
      for (const path of ['windows.c', 'le.txt', 'be.txt', 'gbk.txt', 'bom.txt']) {
        const before = await bytesOf(workspace, path);
        const content = (await call(workspace, 'read_file', { path })).replace(/\n… \([^\n]*\)$/, '');
        expect(await call(workspace, 'write_file', { path, content })).toContain('Replaced');
        expect([path, (await bytesOf(workspace, path)).toString('hex')]).toEqual([path, before.toString('hex')]);
      }
    });

    test('is not overwritten with U+FFFD where it has bytes of its own', async () => {
      verifies('toolbox.files.encoding');
      const workspace = await create(FILES);
      const content = (await call(workspace, 'read_file', { path: 'broken.txt' })).replace(/\n… \([^\n]*\)$/, '');
      expect(await call(workspace, 'write_file', { path: 'broken.txt', content })).toContain(
        '"broken.txt" has 2 bytes that are not valid characters, and the content has U+FFFD in their place: they would be lost. Nothing was changed.',
      );
      expect(await bytesOf(workspace, 'broken.txt')).toEqual(BROKEN);
      expect(await call(workspace, 'write_file', { path: 'broken.txt', content: 'größe\n' })).toContain('Replaced');
    });

    test('is edited where the old text has U+FFFD, as it was shown, and the bytes stay', async () => {
      verifies('toolbox.files.encoding');
      const workspace = await create(FILES);
      const path = 'broken.txt';
      const edits = [{ old_text: 'second \uFFFD\uFFFD end', new_text: '2nd \uFFFD\uFFFD end' }];
      expect(await call(workspace, 'edit_file', { path, edits })).toContain('1 replacement');
      const after = BROKEN.toString('latin1').replace('second', '2nd');
      expect((await bytesOf(workspace, path)).toString('latin1')).toBe(after);
      const lost = [{ old_text: '2nd \uFFFD\uFFFD end', new_text: '\uFFFD 2nd \uFFFD' }];
      expect(await call(workspace, 'edit_file', { path, edits: lost })).toContain(
        'they would be lost. Nothing was changed.',
      );
      const patch = `*** Begin Patch\n*** Update File: ${path}\n@@\n-2nd \uFFFD\uFFFD end\n+2nd \uFFFD\n*** End Patch`;
      expect(await call(workspace, 'apply_patch', { patch })).toContain('they would be lost. Nothing was changed.');
    });

    test('says why a text is not in it that its encoding does not have', async () => {
      verifies('toolbox.files.alike');
      const edits = [{ old_text: '你好', new_text: 'x' }];
      expect(await call(await create(FILES), 'edit_file', { path: 'gbk.txt', edits })).toContain(
        'It is read as Windows-1252, which does not have U+4F60 "你": copy what read_file shows.',
      );
    });

    test('keeps one byte order mark where the new text begins with one, too', async () => {
      verifies('toolbox.files.encoding');
      const workspace = await create({ 'bom.txt': '\uFEFFone\n', 'le.txt': UTF_16_LE });
      for (const path of ['bom.txt', 'le.txt']) await call(workspace, 'write_file', { path, content: '\uFEFFtwo\n' });
      expect((await bytesOf(workspace, 'bom.txt')).toString()).toBe('\uFEFFtwo\n');
      expect((await bytesOf(workspace, 'le.txt')).toString('utf16le')).toBe('\uFEFFtwo\n');
    });

    test('is searched', async () => {
      verifies('toolbox.files.encoding');
      const workspace = await create(FILES);
      expect(await call(workspace, 'search_text', { query: 'naïve' })).toBe(
        'be.txt:1: naïve “quoted” 😀\nle.txt:1: naïve “quoted” 😀\nwindows.c:1: café € 5 – naïve',
      );
      expect(await call(workspace, 'search_text', { query: 'second', path: 'le.txt' })).toBe('le.txt:2: second');
      expect(await call(workspace, 'search_text', { query: 'END', path: 'broken.txt' })).toContain('No line contains');
      expect(await call(workspace, 'search_text', { query: ' end' })).toBe('broken.txt:2: second \uFFFD\uFFFD end');
    });

    test('is binary if it has a NUL and is not UTF-16', async () => {
      const files = {
        'nul.bin': Buffer.from('a\0b'),
        'utf32.txt': Buffer.from('fffe00006100000062000000', 'hex'),
        'controls.bin': Buffer.from('fffe0100610062006300', 'hex'),
      };
      const workspace = await create(files);
      for (const path of ['nul.bin', 'utf32.txt', 'controls.bin'])
        expect(await call(workspace, 'read_file', { path })).toContain('is a binary file');
    });

    test.each([
      ['le.txt', Buffer.concat([UTF_16_LE, Buffer.of(0x41)])],
      ['be.txt', Buffer.concat([UTF_16_BE, Buffer.of(0xd8)])],
    ])('keeps the byte at its end that is no whole unit of UTF-16: %s', async (path, before) => {
      verifies('toolbox.files.encoding');
      const workspace = await create({ [path]: before });
      expect(await call(workspace, 'read_file', { path })).toMatch(
        /second\n\uFFFD\n… \(1 byte that is not a valid character is shown as U\+FFFD; edit_file keeps what it does not replace, write_file would not\)$/,
      );
      await call(workspace, 'edit_file', { path, edits: [{ old_text: 'naïve', new_text: 'wise' }] });
      await call(workspace, 'edit_file', { path, edits: [{ old_text: 'wise', new_text: 'naïve' }] });
      await call(workspace, 'apply_patch', {
        patch: `*** Begin Patch\n*** Update File: ${path}\n@@\n-second\n+2nd\n*** End Patch`,
      });
      await call(workspace, 'edit_file', { path, edits: [{ old_text: '2nd', new_text: 'second' }] });
      expect((await bytesOf(workspace, path)).toString('hex')).toBe(before.toString('hex'));
      expect(await call(workspace, 'write_file', { path, content: 'x\uFFFD' })).toContain('they would be lost');
    });

    test.each([
      [
        'one broken byte among UTF-8',
        Buffer.concat([Buffer.from('é ok '), Buffer.of(0xff), Buffer.from(' end\n')]),
        'é ok \uFFFD end',
      ],
      [
        'a dash and two broken bytes',
        Buffer.concat([Buffer.from('a — b'), Buffer.of(0xff), Buffer.from(' end\n')]),
        'a — b\uFFFD end',
      ],
      ['a capital before a quote', Buffer.from('\xABCAF\xC9\xBB\n', 'latin1'), '«CAFÉ»'],
      ['an ß before a quote', Buffer.from('\xBBGru\xDF\xAB\n', 'latin1'), '»Gruß«'],
      ['a capital before a dash', Buffer.from('\xC9\x97 o\xF9\n', 'latin1'), 'É— où'],
    ])('is read as the more likely of UTF-8 and Windows-1252: %s', async (_, bytes, shown) => {
      verifies('toolbox.files.encoding');
      const workspace = await create({ 'a.txt': bytes });
      expect(await call(workspace, 'read_file', { path: 'a.txt' })).toContain(`${shown}\n`);
    });
  });

  test('what read_file shows is not written back with its note, which would lose what follows', async () => {
    verifies('toolbox.files.encoding');
    const lines = 'line\n'.repeat(60_000);
    const workspace = await create({ ...FILES, 'long.txt': lines });
    for (const input of [
      { path: 'long.txt' },
      { path: 'long.txt', offset: 2, limit: 2 },
      { path: 'le.txt' },
      { path: 'broken.txt' },
    ]) {
      const content = await call(workspace, 'read_file', input);
      for (const each of [content, `${content}\n`])
        expect(await call(workspace, 'write_file', { path: input.path, content: each })).toContain(
          'The content ends with a note that read_file added, "… (',
        );
    }
    expect((await bytesOf(workspace, 'long.txt')).toString()).toBe(lines);
    expect(await call(workspace, 'write_file', { path: 'long.txt', content: 'a\n… (b)\n' })).toContain('Replaced');
  });

  test('a file that is written with other line endings is said to have them', async () => {
    verifies('toolbox.files.encoding');
    const workspace = await create({ 'a.bat': 'a\r\nb\r\n', 'b.sh': 'a\nb\n', 'c.txt': 'a' });
    expect(await call(workspace, 'write_file', { path: 'a.bat', content: 'a\nc\n' })).toContain(
      String.raw`Its lines ended with \r\n, and now with \n.`,
    );
    expect(await call(workspace, 'write_file', { path: 'b.sh', content: 'a\r\nc\r\n' })).toContain(
      String.raw`Its lines ended with \n, and now with \r\n.`,
    );
    for (const path of ['b.sh', 'c.txt'])
      expect(await call(workspace, 'write_file', { path, content: 'b\r\n' })).not.toContain('Its lines');
  });
});
