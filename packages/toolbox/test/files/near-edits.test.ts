import { callTool } from '@kernel/protocol';
import { createRegistry } from '@kernel/tools';
import { verifies } from '@kernel/testing';
import { describe, expect, test } from 'vitest';
import { fileTools } from '../../src/files/index.ts';
import { memoryTool } from '../../src/memory/index.ts';
import { memoryWorkspace } from '../../src/workspace/index.ts';
import { textOf } from '../workspace/three-workspaces.ts';

const signal = new AbortController().signal;

async function edit(before: string, oldText: string, newText: string, more: object = {}) {
  const workspace = memoryWorkspace({ 'a.txt': before });
  const registry = createRegistry(fileTools(workspace, { ripgrep: false }));
  const edits = [{ old_text: oldText, new_text: newText, ...more }];
  const args = JSON.stringify({ path: 'a.txt', edits });
  const { forLLM } = await callTool(
    registry,
    { type: 'tool-call', id: '1', name: 'edit_file', arguments: args },
    { signal },
  );
  return { text: await textOf(workspace, 'a.txt'), forLLM };
}

const KINDS = 'matched only without comparing the kind of quotes, dashes, spaces, accents and unseen characters';

describe('a text that is in the file but for how it is written', () => {
  test.each([
    [
      'straight quotes for curly ones',
      'say “don’t” now\n',
      'say "don\'t" now',
      'say "don\'t" later',
      'say “don’t” later\n',
    ],
    [
      'curly quotes for straight ones',
      'say "don\'t" now\n',
      'say “don’t” now',
      'say “don’t” later',
      'say "don\'t" later\n',
    ],
    ['a hyphen for a dash', 'pages 3–5 — all\n', 'pages 3-5 - all', 'pages 3-6 - all', 'pages 3–6 — all\n'],
    ['a minus for a hyphen', 'a - b', 'a − b', 'a − c', 'a - c'],
    ['a space for one that does not break', '10\u00A0km far', '10 km far', '10 km near', '10\u00A0km near'],
    ['composed letters for letters with marks', 'cafe\u0301 noir', 'café noir', 'café blanc', 'cafe\u0301 blanc'],
    ['letters with marks for composed ones', 'café noir', 'cafe\u0301 noir', 'cafe\u0301 blanc', 'café blanc'],
    ['Hangul in one form for the other', '\u1112\u1161\u11ab one', '한 one', '한 two', '\u1112\u1161\u11ab two'],
    ['no space without width', 'foo\u200Bbar = 1', 'foobar = 1', 'foobar = 2', 'foo\u200Bbar = 2'],
    ['a space without width', 'foobar = 1', 'foo\u200Bbar = 1', 'foo\u200Bbar = 2', 'foobar = 2'],
    ['three dots for an ellipsis', 'wait… now', 'wait... now', 'wait... then', 'wait… then'],
    ['an ordinal sign for a letter', 'art. 2º, §1ª', 'art. 2o, §1a', 'art. 3o, §1a', 'art. 3º, §1ª'],
    ['wide punctuation for ASCII', 'f(a, b)', 'f（a， b）', 'f（a， c）', 'f(a, c)'],
    ['quotes over several lines that end with \\r\\n', '“a”\r\nb\r\nc\r\n', '"a"\nb', '"a"\nB', '“a”\r\nB\r\nc\r\n'],
  ])('is edited at that place alone: %s', async (_, before, oldText, newText, after) => {
    verifies('toolbox.files.alike');
    const { forLLM, text } = await edit(before, oldText, newText);
    expect(forLLM).toContain(`1 edit ${KINDS}; check the result.`);
    expect(text).toBe(after);
  });

  test.each([
    [
      '\\n as two characters',
      'one\ntwo\n',
      String.raw`one\ntwo`,
      String.raw`one\n2`,
      'one\n2\n',
      String.raw`with \n, \t, \" and \u read as what they stand for`,
    ],
    [
      '\\" as two characters',
      'a "b"\n\tc',
      String.raw`a \"b\"\n\tc`,
      'x',
      'x',
      String.raw`with \n, \t, \" and \u read`,
    ],
    [
      'a line break for \\n',
      String.raw`print("a\n")`,
      'print("a\n")',
      'print("b\n")',
      String.raw`print("b\n")`,
      String.raw`with line breaks and tabs read as \n and \t`,
    ],
    [
      'an escape for a character',
      'say it’s',
      String.raw`say it\u2019s`,
      String.raw`say it\u2019s so`,
      'say it’s so',
      'with',
    ],
    [
      'a character for its escape',
      String.raw`a = "it\u2019s"`,
      'a = "it’s"',
      'a = "that’s"',
      String.raw`a = "that\u2019s"`,
      'with characters read as their escapes',
    ],
    [
      'an emoji for its escapes',
      String.raw`a = "\uD83D\uDE00"`,
      'a = "😀"',
      'a = "x"',
      'a = "x"',
      'with characters read as their escapes',
    ],
    [
      'the form in which an unseen character is shown',
      'a\u200B\u001Bb\u{E0041} = 1',
      String.raw`a\u200b\x1bb\u{e0041} = 1`,
      String.raw`a\u200b\x1bb\u{e0041} = 2`,
      'a\u200B\u001Bb\u{E0041} = 2',
      String.raw`with \n, \t, \" and \u read`,
    ],
    [
      'the numbers that read_file shows',
      'import os\n\nimport sys\n',
      '1\timport os\n2\t\n3\timport sys\n',
      '1\timport os\n2\t\n3\timport re\n',
      'import os\n\nimport re\n',
      'without the numbers that are shown before lines',
    ],
    [
      'the numbers in the old text alone',
      'import os\n\nimport sys\n',
      '     3\timport sys',
      'import re',
      'import os\n\nimport re\n',
      'without the numbers that are shown before lines',
    ],
    [
      'entities of HTML for characters',
      'if (a && b < c) say("&amp;")',
      'if (a &amp;&amp; b &lt; c)',
      'if (a &amp;&amp; b &gt; c)',
      'if (a && b > c) say("&amp;")',
      'with &lt;, &gt;, &amp; and &quot; read as what they stand for',
    ],
    [
      'one backslash for two',
      String.raw`re = "\\d+\\."`,
      String.raw`re = "\d+\."`,
      String.raw`re = "\d"`,
      String.raw`re = "\\d"`,
      'with each backslash read as two',
    ],
  ])('is edited with its escapes read: %s', async (_, before, oldText, newText, after, how) => {
    verifies('toolbox.files.alike');
    const { forLLM, text } = await edit(before, oldText, newText);
    expect(forLLM).toContain(`1 edit matched only ${how}`);
    expect(text).toBe(after);
  });

  test('is edited by lines if white space differs, too', async () => {
    verifies('toolbox.files.alike');
    const { forLLM, text } = await edit('  say “a”\n\tor\n', 'say "a"\nor', 'say "a"\nand');
    expect(forLLM).toContain('without comparing white space or the kind of quotes');
    expect(text).toBe('  say "a"\n  and\n');
  });

  test.each([
    ['tabs', '\tif x:\n\t\ty()\n', '\tif z:\n\t\ty()\n\t\tfor a in b:\n\t\t\tc()\n'],
    ['two spaces', '  if x:\n    y()\n', '  if z:\n    y()\n    for a in b:\n      c()\n'],
  ])('is edited with the indentation of the file in each line: %s', async (_, before, after) => {
    verifies('toolbox.files.alike');
    const oldText = '    if x:\n        y()';
    const newText = '    if z:\n        y()\n        for a in b:\n            c()';
    expect((await edit(before, oldText, newText)).text).toBe(after);
    expect((await edit('\ta\n', '    a', '    a\n        b\n')).text).toBe('\ta\n\t\tb\n');
  });

  test('is edited nowhere if only some of its new lines have numbers', async () => {
    verifies('toolbox.files.alike');
    const { forLLM, text } = await edit('a\nb\n', '1\ta\n2\tb', '1\ta\nx\n2\tb');
    expect(forLLM).toContain('is not in the file');
    expect(text).toBe('a\nb\n');
  });

  test('is edited nowhere if it fits twice, or only a part of a character', async () => {
    verifies('toolbox.files.alike');
    const twice = await edit('“a” 1\n”a“ 2\n', '"a"', '"b"');
    expect(twice.forLLM).toContain(
      'old_text matches only without comparing the kind of quotes, dashes, spaces, accents and unseen characters, and then in several places: lines 1, 2.',
    );
    expect(twice.text).toBe('“a” 1\n”a“ 2\n');
    expect((await edit('cafe\u0301', 'cafè', 'x')).forLLM).toContain('is not in the file');
    expect((await edit('wait…', 'wait.', 'x')).forLLM).toContain('is not in the file');
    const exact = await edit('“a”\n"a"\n', '"a"', '"b"');
    expect(exact.text).toBe('“a”\n"b"\n');
  });

  test('is taken by a patch and by the memory, too', async () => {
    verifies('toolbox.files.alike');
    const workspace = memoryWorkspace({ 'a.md': 'It’s “one”\nsecond\n', 'b.md': 'a “b”\na ”b“\n' });
    const patchOf = (path: string, ...lines: readonly string[]): string =>
      ['*** Begin Patch', `*** Update File: ${path}`, '@@', ...lines, '*** End Patch'].join('\n');
    const registry = createRegistry([...fileTools(workspace, { ripgrep: false }), memoryTool(workspace)]);
    const call = async (name: string, input: object): Promise<string> =>
      (await callTool(registry, { type: 'tool-call', id: '1', name, arguments: JSON.stringify(input) }, { signal }))
        .forLLM;
    expect(await call('apply_patch', { patch: patchOf('a.md', ' It\'s "one"', '-second', '+2nd') })).toContain('Done');
    expect(await textOf(workspace, 'a.md')).toBe('It’s “one”\n2nd\n');
    await workspace.write('c.md', 'и\u0306 конец\n');
    expect(await call('apply_patch', { patch: patchOf('c.md', '-й конец', '+й начало') })).toContain('Done');
    expect(await textOf(workspace, 'c.md')).toBe('й начало\n');
    const unsure = await call('apply_patch', { patch: patchOf('b.md', '-a "b"', '+x') });
    expect(unsure).toContain('does not fit');
    const none = await call('apply_patch', { patch: patchOf('a.md', ' It’s “two”', '-2nd', '+x') });
    expect(none).toContain(
      '"It’s “two”" is nowhere in it: it matches line 1 up to "It’s “"; there the file continues with U+006F "o", and this text with U+0074 "t".',
    );
    const done = await call('memory', {
      command: 'str_replace',
      path: '/memories/a.md',
      old_str: 'It\'s "one"',
      new_str: 'It\'s "1"',
    });
    expect(done).toContain('old_str matched only without comparing the kind of quotes');
    expect(await textOf(workspace, 'a.md')).toBe('It’s “1”\n2nd\n');
  });
});

describe('the refusal of a text that is not there', () => {
  test('says how far it is there and which characters follow', async () => {
    verifies('toolbox.files.alike');
    const { forLLM } = await edit('one\nconst total = a + b;\n', 'const total = a * b;', 'x');
    expect(forLLM).toContain(
      'is not in the file: it matches line 2 up to "const total = a "; there the file continues with U+002B "+", and this text with U+002A "*".',
    );
    expect((await edit('the end', 'the end.', 'x')).forLLM).toContain(
      'there the file continues with nothing, and this text with U+002E "."',
    );
    expect((await edit('abc', '\u200B¿x', 'y')).forLLM).toContain('is not in the file. It has U+200B, U+00BF "¿".');
  });

  test('takes linear time', async () => {
    const long = 'ab'.repeat(200_000);
    const { forLLM } = await edit(long, `${'ab'.repeat(20_000)}c`, 'x');
    expect(forLLM).toContain('continues with');
  });
});

describe('a refusal names what tells two texts apart', () => {
  test.each([
    [
      'a letter of another script',
      'x\ns\u0441ope = 1\n',
      'scope = 1',
      'Line 2 is the nearest, "s\u0441ope = 1", which has U+0441 "с".',
    ],
    ['an arrow', 'a → b\n', 'a -> b', 'Line 1 is the nearest, "a → b", which has U+2192 "→".'],
    ['an entity', 'a &amp; b &lt;c&gt;\n', 'a & b <c>', 'Line 1 is the nearest, "a &amp; b &lt;c&gt;".'],
    ['a line separator', 'a\u2028b\n', 'a\nb', String.raw`Line 1 is the nearest, "a\u2028b", which has U+2028.`],
  ])('of a line that begins otherwise: %s', async (_, before, oldText, expected) => {
    verifies('toolbox.files.alike');
    const { forLLM, text } = await edit(before, oldText, 'new');
    expect(forLLM).toContain(expected);
    expect(text).toBe(before);
  });

  test('and no line where none is like it', async () => {
    expect((await edit('alpha\nbeta\n', 'zzz = 12', 'new')).forLLM).not.toContain('nearest');
  });

  test('also of a patch, which says when it fitted a text that only looks the same', async () => {
    const workspace = memoryWorkspace({ 'a.txt': 's\u0441ope = 1\n', 'b.txt': 'say “no”\n' });
    const registry = createRegistry(fileTools(workspace, { ripgrep: false }));
    const patch = async (path: string, from: string, to: string) =>
      (
        await callTool(
          registry,
          {
            type: 'tool-call',
            id: '1',
            name: 'apply_patch',
            arguments: JSON.stringify({
              patch: `*** Begin Patch\n*** Update File: ${path}\n@@\n-${from}\n+${to}\n*** End Patch`,
            }),
          },
          { signal },
        )
      ).forLLM;
    expect(await patch('a.txt', 'scope = 1', 'x')).toContain('which has U+0441');
    expect(await patch('b.txt', 'say "no"', 'say "yes"')).toContain(`1 hunk ${KINDS}; check the result.`);
    expect(await patch('b.txt', 'say "yes"', 'say "no"')).not.toContain('fitted');
  });
});

describe('names of files that look the same', () => {
  const files = {
    'Cafe\u0301.txt': 'x',
    'it’s.txt': 'y',
    'a\u00A0b.txt': 'z',
    'zero\u200B.txt': 'q',
    'plain.txt': 'p',
  };
  const call = async (name: string, input: object) => {
    const registry = createRegistry(fileTools(memoryWorkspace(files), { ripgrep: false }));
    return (
      await callTool(registry, { type: 'tool-call', id: '1', name, arguments: JSON.stringify(input) }, { signal })
    ).forLLM;
  };

  test.each([
    ['Café.txt', String.raw`in JSON "Cafe\u0301.txt"?`],
    ["it's.txt", String.raw`in JSON "it\u2019s.txt"?`],
    ['a b.txt', String.raw`in JSON "a\u00a0b.txt"?`],
    ['zero.txt', String.raw`in JSON "zero\u200b.txt"?`],
    ['plan.txt', 'Did you mean "plain.txt"?'],
  ])('are told apart in the refusal of %j', async (path, expected) => {
    verifies('toolbox.files.alike');
    for (const [name, input] of [
      ['read_file', { path }],
      ['search_text', { query: 'x', path }],
      ['move', { from: path, to: 'new.txt' }],
      ['delete', { path }],
    ] as const)
      expect([name, await call(name, input)]).toEqual([name, expect.stringContaining(expected)]);
  });

  test('are told of where a new file is made beside one', async () => {
    const note = String.raw`Beside it is "it’s.txt", in JSON "it\u2019s.txt", whose name looks the same`;
    expect(await call('write_file', { path: "it's.txt", content: 'new' })).toContain(note);
    const patch = "*** Begin Patch\n*** Add File: it's.txt\n+new\n*** End Patch";
    expect(await call('apply_patch', { patch })).toContain(note);
    expect(await call('write_file', { path: 'other.txt', content: 'new' })).not.toContain('Beside');
  });
});
